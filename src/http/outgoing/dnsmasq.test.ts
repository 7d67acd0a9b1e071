import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findOrUnpack } from '../../../test/debian.ts'
import { freePort } from '../../../test/free-port.ts'
import { readTxtRecords, type TxtOutcome } from './txt-records.ts'

const program = await findOrUnpack({ name: 'dnsmasq', package: 'dnsmasq-base', variable: 'ROLLBOOK_TEST_DNSMASQ' })
const long = `rollbook-verification=${'x'.repeat(300)}`

/** A name server that is not ours, which knows the names below `example` and asks nobody about others. */
async function startDnsmasq(t: TestContext): Promise<string> {
  const port = await freePort()
  const args = [
    ...['--keep-in-foreground', '--conf-file=/dev/null', '--no-resolv', '--no-hosts', '--user=', '--pid-file='],
    ...['--listen-address=127.0.0.1', '--bind-interfaces', `--port=${port}`, '--local=/example/'],
    '--txt-record=_rollbook.acme.example,rollbook-verification=a',
    '--txt-record=_rollbook.acme.example,v=spf1 -all',
    `--txt-record=_rollbook.parts.example,${long.slice(0, 200)},${long.slice(200)}`,
    // Too long for a datagram.
    ...Array.from({ length: 40 }, (_, n) => `--txt-record=_rollbook.many.example,${n} ${'y'.repeat(200)}`),
    '--host-record=_rollbook.address.example,192.0.2.7',
  ]
  const child = spawn(program as string, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  t.after(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const server = `127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null) throw new Error(`dnsmasq ended with ${child.exitCode}: ${printed}`)
    if ('texts' in (await readTxtRecords('_rollbook.acme.example', { servers: [server] }))) return server
    assert.ok(tries < 100, printed)
    await sleep(100)
  }
}

describe('reading TXT records from dnsmasq', { skip: program === undefined && 'there is no dnsmasq' }, () => {
  it('finds what is published, and says what is not', async (t) => {
    const server = await startDnsmasq(t)
    const read = (name: string) => readTxtRecords(name, { servers: [server] })
    const textsOf = (outcome: TxtOutcome) => ('texts' in outcome ? outcome.texts.toSorted() : outcome)
    assert.deepEqual(textsOf(await read('_rollbook.acme.example')), ['rollbook-verification=a', 'v=spf1 -all'])
    assert.deepEqual(textsOf(await read('_ROLLBOOK.Acme.Example')), ['rollbook-verification=a', 'v=spf1 -all'])
    assert.deepEqual(textsOf(await read('_rollbook.parts.example')), [long])
    const many = await read('_rollbook.many.example')
    assert.equal('texts' in many && many.texts.length, 40)
    assert.deepEqual(await read('_rollbook.none.example'), { failure: 'no_record', code: 'ENOTFOUND' })
    assert.deepEqual(await read('_rollbook.address.example'), { failure: 'no_record', code: 'ENODATA' })
    assert.deepEqual(await read('_rollbook.acme.test'), { failure: 'server_refused', code: 'EREFUSED' })
  })
})
