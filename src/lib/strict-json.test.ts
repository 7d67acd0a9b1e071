import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { assertCheap } from '../../test/processor-time.ts'
import { JsonSyntaxError, parseStrictJson } from './strict-json.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('strict JSON', () => {
  const refused: readonly (readonly [why: string, body: string | number[], message: RegExp])[] = [
    ['an empty body', '', /^The body is empty\. Send a JSON object\.$/],
    ['white space alone', ' \n', /ends too early/],
    ['a body that breaks off', '{"username":"ada"', /ends too early/],
    ['a trailing comma', '{"a":1,}', /position 7/],
    ['trailing garbage', '{"a":1}x', /position 7/],
    ['two values', '{}{}', /position 2/],
    ['a comment', '{"a":1} // b', /position 8/],
    ['single quotes', "{'a':1}", /position 1/],
    ['a bare word', '{"a":NaN}', /position 5/],
    ['invalid UTF-8', [0x22, 0xff, 0x22], /not valid UTF-8/],
    ['overlong UTF-8', [0x22, 0xc0, 0xaf, 0x22], /not valid UTF-8/],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22], /not valid UTF-8/],
    ['UTF-16', [0x7b, 0x00, 0x7d, 0x00], /position 1/],
    ['a byte order mark', '\uFEFF{}', /byte order mark/],
    ['a member twice', '{"role":"user","role":"admin"}', /The member "role" appears twice/],
    ['a member twice, once escaped', '{"role":"user","r\\u006fle":"admin"}', /The member "role" appears twice/],
    ['a member twice, apart by white space', '{"a" : 1 , "a"\n:2}', /The member "a" appears twice/],
    ['a member twice, below', '{"a":[{"b":{"c":1,"d":[],"c":2}}]}', /The member "c" appears twice/],
    ['a member twice, after a nested object', '{"a":{"b":1},"b":2,"a":3}', /The member "a" appears twice/],
    ['an empty name twice', '{"":1,"":2}', /The member at position 6 appears twice/],
    ['a strange name twice', '{"my secret!":1,"my secret!":2}', /The member at position 16 appears twice/],
    ['__proto__', '{"__proto__":{"role":"admin"}}', /__proto__/],
    ['__proto__, escaped', '{"\\u005f_proto__":null}', /__proto__/],
    ['__proto__, below', '[{"a":{"__proto__":1}}]', /__proto__/],
    ['nesting of 17', `${'['.repeat(17)}${']'.repeat(17)}`, /deeper than 16/],
    ['nesting of 17, mixed', `${'{"a":['.repeat(9)}${']}'.repeat(9)}`, /deeper than 16/],
    ['bottomless arrays', '['.repeat(65_536), /ends too early/],
    ['very deep arrays', `${'['.repeat(32_768)}${']'.repeat(32_768)}`, /deeper than 16/],
    ['very deep objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, /deeper than 16/],
    ['half a character', '{"a":"\\ud800"}', /position 5 contains half a character/],
    ['the other half', '["\\\\","\\udc00x"]', /position 6 contains half a character/],
    ['halves in the wrong order', '["\\udc00\\ud800"]', /half a character/],
    ['half a character in a name', '{"\\ud800":1}', /half a character/],
  ]
  for (const [why, body, message] of refused) {
    it(`refuses ${why}`, () => {
      const encoded = typeof body === 'string' ? bytes(body) : Uint8Array.from(body)
      assert.throws(() => parseStrictJson(encoded), { name: 'JsonSyntaxError', message })
    })
  }

  const accepted: readonly (readonly [why: string, body: string])[] = [
    ['the same name on different levels', '{"a":{"a":{"a":1}},"b":{"a":1}}'],
    ['the same name in neighbours', '[{"a":1},{"a":2}]'],
    ['a name that is also a value', '{"a":"b","b":"a","c":["a","b","a"]}'],
    ['names that differ in case', '{"a":1,"A":2}'],
    ['__proto__ as a value', '{"a":"__proto__"}'],
    ['brackets, colons and quotes in strings', '{"a":"[{\\":,\\\\","b":"}]\\\\\\""}'],
    ['nesting of 16', `${'['.repeat(16)}${']'.repeat(16)}`],
    ['many neighbours', `[${'{},'.repeat(1000)}[]]`],
    ['a whole character by escapes', '["\\ud83d\\ude00"]'],
    ['a name that looks like one of Object', '{"constructor":1,"toString":2}'],
    ['a value that is no object', '"text"'],
    ['U+FEFF inside', '["\uFEFF"]'],
  ]
  for (const [why, body] of accepted) {
    it(`accepts ${why}`, () => assert.deepEqual(parseStrictJson(bytes(body)), JSON.parse(body)))
  }

  it('reads from a part of a larger buffer', () => {
    const whole = bytes('xx{"a":1}yy')
    assert.deepEqual(parseStrictJson(whole.subarray(2, 9)), { a: 1 })
  })

  it('never quotes the body', () => {
    const bodies = ['{"password":hunter2}', '{"password":"hunter2", hunter2}', '{"hunter2":1,"hunter2":2}', 'hunter2']
    for (const body of bodies) {
      assert.throws(
        () => parseStrictJson(bytes(body)),
        (error: Error) => error instanceof JsonSyntaxError && !error.message.includes('hunter2') && !error.cause,
      )
    }
  })

  it('returns what JSON.parse returns, or refuses', () => {
    const values = fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }).filter((value) => !holdsProto(value))
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        assert.deepEqual(parseStrictJson(bytes(text)), JSON.parse(text))
      }),
    )
  })

  it('gives the same for escaped characters as for plain ones', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
        fc.pre(!Object.hasOwn(value, '__proto__')) // Refused, in whatever way it is written.
        const text = JSON.stringify(value).replace(/[^ -~]/g, escapeUnit)
        assert.deepEqual(parseStrictJson(bytes(text)), JSON.parse(text))
      }),
    )
  })

  it('refuses exactly the objects in which a name repeats', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\', ':', 'é'), maxLength: 3 })
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.jsonValue({ maxDepth: 2 })), { maxLength: 6 }), (members) => {
        const text = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`
        fc.pre(!holdsProto(JSON.parse(text)))
        const repeats = new Set(members.map(([name]) => name)).size < members.length
        if (repeats) assert.throws(() => parseStrictJson(bytes(text)), /appears twice/)
        else assert.deepEqual(parseStrictJson(bytes(text)), JSON.parse(text))
      }),
    )
  })

  it('throws only its own error, whatever the bytes', () => {
    const fragments = fc.array(
      fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '\\', '"a"', '\\u00', '1', ' ', '\uD83D'),
    )
    const inputs = fc.oneof(
      fc.uint8Array(),
      fragments.map((parts) => bytes(parts.join(''))),
    )
    fc.assert(
      fc.property(inputs, (input) => {
        try {
          parseStrictJson(input)
        } catch (error) {
          assert.ok(error instanceof JsonSyntaxError, String(error))
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('finds a repeated member among thousands in linear time', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `"n${String(index).padStart(6, '0')}":1`)
    assertCheap(1000, () => {
      assert.throws(() => parseStrictJson(bytes(`{${names.join()},${names[0]}}`)), /twice/)
      assert.throws(() => parseStrictJson(bytes(`"${'\\"'.repeat(500_000)}`)), /too early/)
    })
  })
})

function holdsProto(value: unknown): boolean {
  return JSON.stringify(value).includes('"__proto__":')
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
