import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { freePort } from '../../../test/free-port.ts'
import { type Reply, startNameServer } from '../../../test/name-server.ts'
import { readTxtRecords } from './txt-records.ts'

const name = '_rollbook.example.com'

/** What is read from a server that replies in this way. */
async function read(t: TestContext, reply: Reply | undefined, options: { tcp?: boolean; timeLimitMs?: number } = {}) {
  const { address, questions } = await startNameServer(t, () => reply, options)
  return { outcome: await readTxtRecords(name, { servers: [address], ...options }), questions }
}

describe('reading TXT records', () => {
  it('joins the strings of a record, and keeps records apart', async (t) => {
    const long = 'x'.repeat(600)
    const { outcome, questions } = await read(t, { texts: [['rollbook-', 'verification=', 'a'], 'another', long, ''] })
    assert.deepEqual(outcome, { texts: ['rollbook-verification=a', 'another', long, ''] })
    assert.deepEqual(questions, [{ name, type: 16, transport: 'udp' }])
  })

  it('follows an alias to another name', async (t) => {
    const { outcome } = await read(t, { alias: 'proof.customer.example', texts: ['value'] })
    assert.deepEqual(outcome, { texts: ['value'] })
    const nowhere = await read(t, { alias: 'proof.customer.example' })
    assert.deepEqual(nowhere.outcome, { failure: 'no_record', code: 'ENODATA' })
  })

  it('asks again over TCP for an answer that is too long for a datagram', async (t) => {
    const texts = Array.from({ length: 100 }, (_, i) => `${i} ${'y'.repeat(200)}`)
    const { outcome, questions } = await read(t, { texts, truncated: true })
    assert.deepEqual(outcome, { texts })
    assert.deepEqual(
      questions.map(({ transport }) => transport),
      ['udp', 'tcp'],
    )
    const withoutTcp = await read(t, { texts, truncated: true }, { tcp: false })
    assert.deepEqual(withoutTcp.outcome, { failure: 'server_unreachable', code: 'ECONNREFUSED' })
  })

  const failures: [what: string, reply: Reply, expected: object][] = [
    ['a name that does not exist', { code: 3 }, { failure: 'no_record', code: 'ENOTFOUND' }],
    ['an empty answer', {}, { failure: 'no_record', code: 'ENODATA' }],
    ['a server that fails', { code: 2 }, { failure: 'server_failed', code: 'ESERVFAIL' }],
    ['a server that refuses', { code: 5 }, { failure: 'server_refused', code: 'EREFUSED' }],
  ]
  for (const [what, reply, expected] of failures) {
    it(`says what it found: ${what}`, async (t) => {
      assert.deepEqual((await read(t, reply)).outcome, expected)
    })
  }

  it('does not listen to an answer to another question, and says so of one that cannot be read', async (t) => {
    const other = await read(t, { question: '_rollbook.other.example', texts: ['value'] }, { timeLimitMs: 300 })
    assert.deepEqual(other.outcome, { failure: 'server_silent', code: 'ECANCELLED' })
    const nonsense = await read(t, { bytes: Buffer.from('nonsense') }, { timeLimitMs: 300 })
    assert.deepEqual(nonsense.outcome, { failure: 'answer_unusable', code: 'EBADRESP' })
  })

  it('ends after the time limit if no server answers', async (t) => {
    const { outcome } = await read(t, undefined, { timeLimitMs: 300 })
    assert.deepEqual(outcome, { failure: 'server_silent', code: 'ECANCELLED' })
  })

  it('asks the next server if one fails, refuses, is silent or is not there, and says what was found out if none knows', async (t) => {
    const replying = async (reply?: Reply) => (await startNameServer(t, () => reply)).address
    const nobody = `127.0.0.1:${await freePort()}`
    const [failing, refusing, silent] = [await replying({ code: 2 }), await replying({ code: 5 }), await replying()]
    const good = await replying({ texts: ['value'] })
    const servers = [failing, refusing, silent, nobody, good]
    assert.deepEqual(await readTxtRecords(name, { servers }), { texts: ['value'] })
    for (const servers of [
      [nobody, refusing],
      [refusing, nobody],
    ]) {
      const outcome = await readTxtRecords(name, { servers })
      assert.deepEqual(outcome, { failure: 'server_refused', code: 'EREFUSED' })
    }
  })

  it('says that nothing listens', async () => {
    const nobody = `127.0.0.1:${await freePort()}`
    const outcome = await readTxtRecords(name, { servers: [nobody] })
    assert.deepEqual(outcome, { failure: 'server_unreachable', code: 'ECONNREFUSED' })
  })
})
