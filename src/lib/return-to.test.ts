import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../test/cases.ts'
import { returnTo } from './return-to.ts'

const origins = { origin: 'https://shop.example', allowed: ['https://app.example:8443', 'http://[::1]:3000'] }
const answerTo = (text: unknown) => returnTo(text, origins)

describe('return_to', () => {
  it('leads to paths of our own origin and to the allowed origins, with query and fragment', () => {
    for (const path of [
      '/',
      '/reports?page=2&q=a%20b#row-7',
      '/a/b%2Fc',
      '/a//b',
      '/~ada/@me:1',
      '/100%25',
      '/a%20b%3Fc%23d',
      '/x?u=//evil.example',
    ]) {
      assert.equal(answerTo(path), path)
    }
    for (const url of ['https://shop.example/reports', 'https://app.example:8443/x#y', 'http://[::1]:3000/']) {
      assert.equal(answerTo(url), url)
    }
  })

  it('writes its input as a URL parser does', () => {
    for (const [text, expected] of [
      ['/übersicht', '/%C3%BCbersicht'],
      ['/a/../b', '/b'],
      ['/a/%2e%2e/b', '/b'],
      ['HTTPS://SHOP.example:443/x', 'https://shop.example/x'],
      ['https://app.example:8443', 'https://app.example:8443/'],
      // In a path they are letters like others.
      ['/／evil.example', '/%EF%BC%8Fevil.example'],
      ['/。evil.example', '/%E3%80%82evil.example'],
    ]) {
      assert.equal(answerTo(text), expected)
    }
  })

  const attacks: Record<string, unknown[]> = {
    'another host without a scheme': [
      '//evil.example',
      '///evil.example',
      '////evil.example/x',
      '//evil.example:443/..',
    ],
    'another host behind dots': ['/.//evil.example', '/..//evil.example', '/a/..//evil.example', '/%2e//evil.example'],
    backslashes: ['\\\\evil.example', '/\\evil.example', '\\/evil.example', 'https:\\\\evil.example', '/x\\y'],
    'another host': ['https://evil.example', 'http://evil.example/', 'HTTPS://EVIL.example', 'hTTps://evil.example'],
    'a host that looks like ours': [
      'https://shop.example.evil.example',
      'https://shop.example@evil.example',
      'https://shop.example%40evil.example',
      'https://shop.example%2f@evil.example',
      'https://evil.example/https://shop.example',
      'https://evil.example#https://shop.example',
      'https://evil.example?https://shop.example',
      'https://evilshop.example',
      'https://shop.example.',
      'https://shop。example.evil.example',
    ],
    'user and password': ['https://ada@shop.example', 'https://ada:pw@shop.example', 'https://@evil.example'],
    'another port or scheme of ours': [
      'http://shop.example',
      'https://shop.example:8443',
      'https://app.example',
      'http://app.example:8443',
      'http://[::1]',
      'http://[::1]:3001',
      'http://[::ffff:127.0.0.1]:3000',
    ],
    'a scheme that is none of the web': [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'javascript://shop.example/%0aalert(1)',
      'data:text/html,x',
      'blob:https://shop.example/x',
      'file:///etc/passwd',
      'vbscript:x',
      'view-source:https://shop.example',
    ],
    'a scheme without a host': [
      'https:evil.example',
      'https:/evil.example',
      'https:shop.example',
      'https:///evil.example',
    ],
    'line breaks, tabs, blanks and NUL': [
      '/\r\nset-cookie: a=b',
      '/x\nlocation: //evil.example',
      '/\t/evil.example',
      '\t//evil.example',
      ' //evil.example',
      '/ /evil.example',
      'java\nscript:alert(1)',
      'ht\ttps://evil.example',
      '/x\0',
      '\0//evil.example',
      '/\u2028/x',
      '/\u00a0',
      '\ufeff//evil.example',
      '/\u200b/evil.example',
      '/\u202e',
    ],
    'the same in percent-encodings': [
      '/%2f%2fevil.example',
      '/%2Fevil.example',
      '%2f%2fevil.example',
      '/%5cevil.example',
      '/%5Cevil.example',
      '/x%0d%0aset-cookie:a=b',
      '/%09/evil.example',
      '/x%00',
      '/%252fevil.example',
      '/%255cevil.example',
      '/x%250d%250a',
      '/%25252fevil.example',
      '/%2525252fevil.example',
      '/%2e%2e%2f%2fevil.example',
      '/a/..%2f%2fevil.example',
      '/a/%252e%252e%252f%252fevil.example',
      '/%c0%afevil.example',
      '/%',
      '/%zz',
      'https%3a%2f%2fevil.example',
      '/.%2f/evil.example/',
    ],
    'letters that become slashes, dots or hosts': [
      '／／evil.example',
      'https:／／evil.example',
      'https://evil。example',
      'https://evil.example／shop.example',
      'https://ⓔvil.example',
    ],
    'what is not a place': [
      '',
      'reports',
      './x',
      '../x',
      '?x',
      '#x',
      '.',
      undefined,
      null,
      7,
      [],
      ['/x'],
      { length: 1 },
    ],
    'half characters': ['/\ud800', '/\udfff/x'],
    'very long values': [`/${'x'.repeat(2048)}`, `/${'ü'.repeat(500)}`, `https://shop.example/${'x'.repeat(1e6)}`],
  }
  for (const [what, texts] of Object.entries(attacks)) {
    it(`refuses ${what}`, () => {
      for (const text of texts) assert.equal(answerTo(text), undefined, JSON.stringify(text))
    })
  }

  it('returns only what a browser on our origin resolves to our origin or an allowed one', () => {
    const pieces = [
      ...['/', '//', '\\', '.', '..', ':', '@', '?', '#', '%', ' ', '\t', '\r', '\n', '\0', '&', '[', ']', ';'],
      ...['%2f', '%2F', '%5c', '%252f', '%2e', '%00', '%0a', '%40', '%3a', '／', '。', '．', '＠', '\ufeff', '\ud800'],
      ...['https:', 'http:', 'HTTPS:', 'javascript:', 'data:', 'blob:', 'https://', 'evil.example', 'a', 'ü', ':443'],
      ...['shop.example', 'app.example', ':8443', '[::1]', ':3000', '127.0.0.1', 'https://shop.example'],
    ]
    const text = fc.oneof(
      fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('')),
      fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => `/${parts.join('')}`),
      fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => `https://shop.example${parts.join('')}`),
      fc.string({ unit: 'binary' }),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
    )
    let answered = 0
    fc.assert(
      fc.property(text, (input) => {
        const result = answerTo(input)
        if (result === undefined) return
        answered++
        assert.match(result, /^[\x21-\x7e]{1,2048}$/)
        assert.doesNotMatch(result, /^\/\/|\\/)
        const ours = [origins.origin, ...origins.allowed]
        assert.ok(ours.includes(new URL(result, origins.origin).origin), result)
        // A path leads nowhere else when the browser knows us by another name.
        const elsewhere = new URL(result, 'http://localhost:8080').origin
        assert.ok([...ours, 'http://localhost:8080'].includes(elsewhere), result)
        assert.equal(answerTo(result), result)
      }),
      { numRuns: cases(20_000) },
    )
    assert.ok(answered > 500, `only ${answered} were answered`)
  })
})
