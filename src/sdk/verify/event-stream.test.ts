import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { eventReader, type ServerEvent } from './event-stream.ts'

function readAll(pieces: readonly string[]): ServerEvent[] {
  const events: ServerEvent[] = []
  const read = eventReader((event) => events.push(event))
  for (const piece of pieces) read(piece)
  return events
}

describe('an event stream', () => {
  it('is read as the standard specifies', () => {
    const cases: [string, ServerEvent[]][] = [
      ['event: current\ndata: {"a":1}\n\n', [{ type: 'current', data: '{"a":1}' }]],
      ['data:a\ndata: b\n\n', [{ type: 'message', data: 'a\nb' }]],
      [
        'event: x\r\ndata: 1\r\n\r\ndata: 2\r\rdata: 3\n\n',
        ['1', '2', '3'].map((data, i) => ({ type: i === 0 ? 'x' : 'message', data })),
      ],
      [': comment\n\nevent: nothing\n\nid: 7\nretry: 5\ndata\n\n', [{ type: 'message', data: '' }]],
      ['data: cut off', []],
      ['data: a: b\n\n', [{ type: 'message', data: 'a: b' }]],
    ]
    for (const [text, events] of cases) assert.deepEqual(readAll([text]), events, JSON.stringify(text))
  })

  it('gives the same events for every split into chunks', () => {
    const line = fc.constantFrom('data: 1', 'data: 2', 'event: current', 'event: revoked', ': ping', '', '', 'id: 1')
    const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')))
    fc.assert(
      fc.property(stream, fc.array(fc.nat(40)), (lines, cuts) => {
        // A carriage return at the very end may be the first half of CRLF.
        const text = `${lines.flat().join('')}\n`
        const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort(
          (a, b) => a - b,
        )
        const pieces = places.slice(1).map((end, i) => text.slice(places[i], end))
        assert.deepEqual(readAll(pieces), readAll([text]))
      }),
    )
  })

  it('with an endless event fails instead of filling the memory', () => {
    const read = eventReader(() => {})
    assert.throws(() => {
      for (let i = 0; i < 1000; i++) read(`data: ${'x'.repeat(1000)}${i % 2 === 0 ? '\n' : ''}`)
    }, /longer than/)
  })
})
