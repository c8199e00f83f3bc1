// Month and day of the national holidays.
const FIXED = ["01-01", "04-21", "05-01", "09-07", "10-12", "11-02", "11-15", "12-25"];
// Consciência Negra is one since the law 14.759 of 2023.
const SINCE_2024 = ["11-20"];
// From Easter Sunday: the two days of Carnival, Good Friday, Corpus Christi.
const FROM_EASTER_DAYS = [-48, -47, -2, 60];

/**
 * Returns the days of a year on which the banks of all Brazil are closed, as YYYY-MM-DD. Weekends are left out, and
 * with them the Sundays of elections.
 */
export function bankHolidays(year: number): ReadonlySet<string> {
  const easter = easterOf(year);
  const fixed = year >= 2024 ? [...FIXED, ...SINCE_2024] : FIXED;
  return new Set([
    ...fixed.map((day) => `${String(year).padStart(4, "0")}-${day}`),
    ...FROM_EASTER_DAYS.map((days) => easter.add({ days }).toString()),
  ]);
}

/** Returns Easter Sunday of a year, by the Gregorian computus in the form of Meeus, Jones and Butcher. */
function easterOf(year: number): Temporal.PlainDate {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const shift = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const sum = epact + weekday - 7 * shift + 114;
  return Temporal.PlainDate.from({ year, month: Math.floor(sum / 31), day: (sum % 31) + 1 });
}
