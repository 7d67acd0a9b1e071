import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { deviceName } from './device-name.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'

const cases: [string, string][] = [
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Windows'],
  ['Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox on Android'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on ChromeOS'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/142.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    'Edge on Windows',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Chrome/142.0.0.0 Safari/537.36 OPR/124.0`,
    'Opera on macOS',
  ],
  [
    `Mozilla/5.0 (Linux; Android 16) ${webkit} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [`${iphone} Version/26.0 Mobile/15E148 Safari/604.1`, 'Safari on iPhone'],
  [`${iphone} CriOS/142.0 Mobile/15E148 Safari/604.1`, 'Chrome on iPhone'],
  [`${iphone} FxiOS/145.0 Mobile/15E148 Safari/605.1.15`, 'Firefox on iPhone'],
  [`${iphone} Mobile/15E148`, 'Unknown browser on iPhone'],
  ['curl/8.14.1', 'curl'],
  ['Wget/1.25.0', 'Wget'],
  ['python-requests/2.32.5', 'Python'],
  ['Go-http-client/1.1', 'Go'],
  ['node', 'Node.js'],
  ['undici', 'Node.js'],
  ['axios/1.13.2', 'Node.js'],
  ['okhttp/5.3.0', 'Java'],
  ['PostmanRuntime/7.49.1', 'Postman'],
  ['', 'Unknown device'],
  ['nodes', 'Unknown device'],
  ['My-Agent/1.0 (curl/8.0)', 'Unknown device'],
  ['<script>alert(1)</script>', 'Unknown device'],
]

describe('the name of a device', () => {
  for (const [userAgent, name] of cases) {
    it(`is ${name} for ${JSON.stringify(userAgent.slice(-60))}`, () => {
      assert.equal(deviceName(userAgent), name)
    })
  }

  it('consists only of known words, whatever is sent', () => {
    const part = fc.constantFrom(
      'Firefox/',
      'Safari/',
      'Version/1.1',
      ' Mobile/x',
      ' (iPhone; ',
      '<b>',
      '\u202e',
      'curl/',
    )
    const sent = fc.array(fc.oneof(part, fc.string({ maxLength: 20 })), { maxLength: 20 })
    const form =
      /^(?:[A-Z][A-Za-z]+(?: [A-Z]\w+| browser| device)?|curl|HTTPie|Node\.js)(?: on (?:iP\w+|macOS|[A-Z]\w+))?$/
    fc.assert(
      fc.property(sent, (parts) => {
        assert.match(deviceName(parts.join('')), form)
      }),
    )
  })
})
