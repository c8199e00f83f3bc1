// The first match wins: most browsers claim to be others too.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\bSamsungBrowser\/(\d+)/, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/\b(?:Headless)?(?:Chrome|CriOS)\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** Returns the names of browser and system, or undefined if either is unknown. */
export function browserName(userAgent: string): { browser: string; system: string } | undefined {
  for (const [pattern, name] of BROWSERS) {
    const [, version] = pattern.exec(userAgent) ?? [];
    const [, system] = SYSTEMS.find(([known]) => known.test(userAgent)) ?? [];
    if (version !== undefined && system !== undefined) return { browser: `${name} ${version}`, system };
  }
  return undefined;
}
