/**
 * Turns a User-Agent header into a few words, such as "Firefox on Linux". Only words of these tables appear: the client
 * chooses the header, and an administrator reads the list.
 */

type Rule = readonly [word: RegExp, name: string]

// The order matters, because user agents contain other browsers' names: Edge's has Chrome and Safari, Chrome's has Safari.
const browsers: readonly Rule[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPiOS|OPT)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bDuckDuckGo\//, 'DuckDuckGo'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ (?:Mobile\/\S+ )?Safari\//, 'Safari'],
]

const systems: readonly Rule[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bFreeBSD\b/, 'FreeBSD'],
  [/\bLinux\b/, 'Linux'],
]

const programs: readonly Rule[] = [
  [/^curl\//, 'curl'],
  [/^Wget\//, 'Wget'],
  [/^HTTPie\//, 'HTTPie'],
  [/^PostmanRuntime\//, 'Postman'],
  [/^insomnia\//i, 'Insomnia'],
  [/^python-requests\/|^python-httpx\/|^Python-urllib\/|^Python\/[\d.]+ aiohttp\//, 'Python'],
  [/^Go-http-client\//, 'Go'],
  [/^(?:node|undici)\b|^axios\//, 'Node.js'],
  [/^okhttp\/|^Java\/|^Java-http-client\/|^Apache-HttpClient\//, 'Java'],
  [/^Deno\//, 'Deno'],
  [/^Bun\//, 'Bun'],
]

export function deviceName(userAgent: string): string {
  const program = find(programs, userAgent)
  if (program !== undefined) return program
  const browser = find(browsers, userAgent)
  const system = find(systems, userAgent)
  if (browser === undefined) return system === undefined ? 'Unknown device' : `Unknown browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}

function find(rules: readonly Rule[], text: string): string | undefined {
  return rules.find(([word]) => word.test(text))?.[1]
}
