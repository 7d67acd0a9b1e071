import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNameServer } from '../../../test/name-server.ts'
import { type Resolve, resolver } from './lookup.ts'

/** A name server on loopback that resolves IPv4 questions and returns nothing for IPv6. */
async function nameServer(t: TestContext, addressOf: (name: string) => number[] | undefined) {
  const { address, questions } = await startNameServer(t, ({ name }) => {
    const found = addressOf(name)
    return found && { addresses: [found] }
  })
  return { servers: [address], lookups: () => questions.length }
}

function stopping(t: TestContext): AbortController {
  const stop = new AbortController()
  t.after(() => stop.abort())
  return stop
}

function hosts(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-hosts-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'hosts'), text)
  return join(folder, 'hosts')
}

const lookUp = (resolve: Resolve, name: string) =>
  new Promise<string[]>((done, fail) =>
    resolve(name, (error, addresses) => (error ? fail(error) : done(addresses.map(({ address }) => address)))),
  )

describe('looking up the name of a receiver', () => {
  it('asks a name server', async (t) => {
    const { servers } = await nameServer(t, () => [192, 0, 2, 7])
    const resolve = resolver({ servers, stopped: stopping(t).signal })
    assert.deepEqual(await lookUp(resolve, 'crm.example'), ['192.0.2.7'])
  })

  it('reads the current hosts file first', async (t) => {
    const { servers, lookups } = await nameServer(t, () => [192, 0, 2, 7])
    const text = '# 192.0.2.1 crm.example\n10.0.0.1\tA.example CRM.example # old\nfd00::1 crm.example\n'
    const hostsFile = hosts(t, text)
    const resolve = resolver({ servers, hostsFile, stopped: stopping(t).signal })
    assert.deepEqual(await lookUp(resolve, 'crm.example'), ['10.0.0.1', 'fd00::1'])
    assert.deepEqual(await lookUp(resolve, 'crm.example.'), ['10.0.0.1', 'fd00::1'])
    assert.equal(lookups(), 0)
    writeFileSync(hostsFile, '')
    assert.deepEqual(await lookUp(resolve, 'crm.example'), ['192.0.2.7'])
  })

  it('does not delay other look-ups or anything else in the process while a name is not resolved', async (t) => {
    const { servers } = await nameServer(t, (name) => (name.startsWith('dead') ? undefined : [192, 0, 2, 7]))
    const stop = stopping(t)
    const resolve = resolver({ servers, stopped: stop.signal })
    const dead = Array.from({ length: 40 }, (_, i) => lookUp(resolve, `dead${i}.example`))
    const outcomes = Promise.allSettled(dead)
    let isOver = false
    void outcomes.then(() => {
      isOver = true
    })
    await sleep(200)
    assert.deepEqual(await lookUp(resolve, 'well.example'), ['192.0.2.7'])
    await lookup('localhost')
    assert.ok(!isOver, 'the others still wait for a response')
    stop.abort()
    assert.ok((await outcomes).every(({ status }) => status === 'rejected'))
  })

  it('is shared by all who wait for the same name, and done again for later ones', async (t) => {
    const { servers, lookups } = await nameServer(t, () => [192, 0, 2, 7])
    const resolve = resolver({ servers, stopped: stopping(t).signal })
    const all = await Promise.all(Array.from({ length: 32 }, () => lookUp(resolve, 'crm.example')))
    assert.deepEqual(new Set(all.flat()), new Set(['192.0.2.7']))
    assert.equal(lookups(), 2, 'for IPv4 and IPv6')
    await lookUp(resolve, 'crm.example')
    assert.equal(lookups(), 4)
  })
})
