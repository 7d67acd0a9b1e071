import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { splitMessages } from './client.ts'

type Message = { code: string; body: Uint8Array }

function written({ code, body }: Message): Buffer {
  const head = Buffer.alloc(5, code)
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

/** What arrives when these bytes come in pieces: each row by its event, everything between rows as bytes. */
function arrived(pieces: readonly Buffer[]): [string, string][] {
  const found: [string, string][] = []
  const add = (event: string, bytes: Buffer) => {
    const last = found.at(-1)
    if (event === 'others' && last?.[0] === event) last[1] += bytes.toString('hex')
    else found.push([event, bytes.toString('hex')])
  }
  const feed = splitMessages(
    (event, row) => add(event, row.chunk),
    (messages) => add('others', messages),
  )
  for (const piece of pieces) feed(piece)
  return found
}

const message = fc.record({ code: fc.constantFrom('D', 'd', 'C', 'Z'), body: fc.uint8Array({ maxLength: 20 }) })

it('rows and other messages arrive whole and in order, wherever the network cuts them', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), fc.array(fc.nat(300), { maxLength: 20 }), (messages, places) => {
      const bytes = Buffer.concat(messages.map(written))
      const cuts = [0, ...places.filter((place) => place < bytes.length).sort((a, b) => a - b), bytes.length]
      const pieces = cuts.slice(1).map((end, n) => bytes.subarray(cuts[n], end))
      const expected: [string, string][] = []
      for (const one of messages) {
        const hex = Buffer.from(one.body).toString('hex')
        const last = expected.at(-1)
        if (one.code === 'D') expected.push(['dataRow', hex])
        else if (one.code === 'd') expected.push(['copyData', hex])
        else if (last?.[0] === 'others') last[1] += written(one).toString('hex')
        else expected.push(['others', written(one).toString('hex')])
      }
      assert.deepEqual(arrived(pieces), expected)
    }),
  )
})
