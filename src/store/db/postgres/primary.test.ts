import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Network, startNetwork } from '../../../../test/nodes/network.ts'
import { schemaFor, skip } from '../../../../test/nodes/nodes.ts'
import { stallMs } from '../../../../test/time-limit.ts'
import { type PostgresAddress, parsePostgresUrl } from '../../../lib/postgres-url.ts'
import { isConnectionLost, NotPrimary } from './failures.ts'
import { connectToPrimary, openPrimary, type PrimaryOptions } from './primary.ts'

type Host = PostgresAddress['hosts'][number]

async function options(t: TestContext, size: number): Promise<PrimaryOptions> {
  const { url, schema } = await schemaFor(t)
  const address = parsePostgresUrl(url) as PostgresAddress
  return { address, schema, name: 'rollbook', size, statementMs: 10_000, idleInTransactionMs: 10_000 }
}

function open(t: TestContext, primaryOptions: PrimaryOptions) {
  const primary = openPrimary(primaryOptions)
  t.after(() => primary.close())
  return primary
}

/** Seen through this, the server appears to be a standby. */
async function standby(t: TestContext, { address }: PrimaryOptions): Promise<{ host: Host; promote(): void }> {
  const network = await startNetwork(t, (address.hosts[0] as Host).port)
  let follows = true
  network.toClient = ({ kind, bytes, text }) => {
    // The row of `requirePrimary` has two columns, of which the first is transaction_read_only.
    if (follows && kind === 'D' && text.startsWith('\0\x02\0\0\0\x03off')) bytes.write('yes', 11, 'latin1')
    return true
  }
  return {
    host: { host: '127.0.0.1', port: network.port },
    promote() {
      follows = false
    },
  }
}

async function behindNetwork(
  t: TestContext,
  primaryOptions: PrimaryOptions,
): Promise<{ network: Network; options: PrimaryOptions }> {
  const network = await startNetwork(t, (primaryOptions.address.hosts[0] as Host).port)
  const hosts = [{ host: '127.0.0.1', port: network.port }]
  return { network, options: { ...primaryOptions, address: { ...primaryOptions.address, hosts } } }
}

describe('the primary', { skip }, () => {
  it('is found among the hosts, wherever it stands in the list', async (t) => {
    const primaryOptions = await options(t, 2)
    const [real] = primaryOptions.address.hosts as [Host]
    const follower = await standby(t, primaryOptions)
    const nobody = { host: '127.0.0.1', port: 1 }
    for (const hosts of [
      [follower.host, nobody, real],
      [real, follower.host],
    ]) {
      const { client, host } = await connectToPrimary({
        ...primaryOptions,
        address: { ...primaryOptions.address, hosts },
      })
      await client.end()
      assert.deepEqual(host, real)
      const primary = open(t, { ...primaryOptions, address: { ...primaryOptions.address, hosts } })
      const pooled = await primary.connect()
      // A pool's client has a port like every client; its type does not say so.
      assert.equal((pooled as unknown as pg.Client).port, real.port)
      pooled.release()
    }
  })

  it('is missing if every host is a standby, and found as soon as one is promoted', async (t) => {
    const primaryOptions = await options(t, 2)
    const followers = [await standby(t, primaryOptions), await standby(t, primaryOptions)]
    const address = { ...primaryOptions.address, hosts: followers.map(({ host }) => host) }
    const primary = open(t, { ...primaryOptions, address })
    await assert.rejects(primary.connect(), NotPrimary)
    followers[1]?.promote()
    const client = await primary.connect()
    // As above.
    assert.equal((client as unknown as pg.Client).port, followers[1]?.host.port)
    client.release()
  })

  it('is checked by each new connection, even if the pool is open', async (t) => {
    const primaryOptions = await options(t, 2)
    const follower = await standby(t, primaryOptions)
    const primary = open(t, { ...primaryOptions, address: { ...primaryOptions.address, hosts: [follower.host] } })
    await assert.rejects(primary.connect(), NotPrimary)
  })

  it('when it changes, ends the statements that hang on the old one', async (t) => {
    const { network, options: primaryOptions } = await behindNetwork(t, await options(t, 2))
    const primary = open(t, primaryOptions)
    const client = await primary.connect()
    network.silent = true
    const hanging = client.query('SELECT 1')
    primary.reset()
    const failure = await Promise.race([hanging.catch((error) => error), sleep(stallMs, undefined, { ref: false })])
    assert.ok(failure instanceof Error && isConnectionLost(failure), `Not ended: ${failure}`)
    client.release(true)
  })

  it('when it changes, does not let callers wait for a connection to the old one', async (t) => {
    const primary = open(t, await options(t, 1))
    const held = await primary.connect()
    const waiting = primary.connect()
    primary.reset()
    await assert.rejects(waiting, (error) => error instanceof NotPrimary && isConnectionLost(error))
    const client = await primary.connect()
    assert.equal((await client.query('SELECT 1 AS one')).rows[0].one, 1)
    client.release()
    held.release(true)
  })
})
