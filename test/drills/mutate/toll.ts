const FREE_UNTIL_AGE = 6;

/** What crossing the bridge costs. Its tests leave out the age at which it begins to cost. */
export function toll(age: number, isResident: boolean): number {
  if (age < FREE_UNTIL_AGE) return 0;
  return isResident ? 2 : 5;
}

export function fence(posts: number): number {
  let panels = 0;
  while (panels < posts - 1) panels++;
  return panels;
}

export function unused(): string {
  return "not covered";
}
