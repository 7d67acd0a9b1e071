import type { Server } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Authenticator } from '../../access/authentication/authenticate.ts'
import type { Config } from '../../core/config.ts'
import { version } from '../../core/version.ts'
import type { Hasher } from '../../directory/passwords/hash.ts'
import type { Lifecycle } from '../../http/server/lifecycle.ts'
import type { Storage } from '../../store/storage/storage.ts'
import type { Counts } from './counts.ts'
import { counter, each, type Family, gauge } from './family.ts'

export type Working = {
  config: Config
  storage: Storage
  hasher: Hasher
  authenticator: Pick<Authenticator, 'cacheUse'>
  lifecycle: Lifecycle
  server: Server
  counts: Counts
}

/** What this process is doing and what it had to refuse: every queue with its limit. */
export function workFamilies(parts: Working): Family[] {
  return [...serving(parts), ...signingIn(parts), ...writing(parts), ...connections(parts)]
}

function serving({ config, storage, lifecycle, server }: Working): Family[] {
  const engine = config.databaseUrl === undefined ? 'sqlite' : 'postgresql'
  const build = { version, engine, node: process.versions.node }
  return [
    gauge(
      'rollbook_build_info',
      'Always 1: what runs here is in the labels.',
      () => [{ labels: build, value: 1 }],
      Object.keys(build),
    ),
    gauge('rollbook_ready', 'Whether requests are welcome, as /health/ready says.', () =>
      Number(lifecycle.stage === 'serving' && storage.isReady()),
    ),
    gauge('rollbook_http_connections', 'Connections that clients have open.', () => connectionsOf(server)),
    gauge('rollbook_http_connections_limit', 'How many there may be.', () => config.maxConnections),
    counter(
      'rollbook_event_loop_active_seconds_total',
      'How long the main thread was busy. One that grows by a second each second has no time left.',
      () => performance.eventLoopUtilization().active / 1000,
    ),
  ]
}

function signingIn({ hasher, authenticator, counts }: Working): Family[] {
  return [
    counter(
      'rollbook_sign_ins_total',
      'Attempts to sign in, by how they ended.',
      () => each('outcome', counts.signIns),
      ['outcome'],
    ),
    gauge('rollbook_hash_running', 'Passwords that are being hashed or verified.', () => hasher.load().running),
    gauge('rollbook_hash_waiting', 'Passwords that wait for that.', () => hasher.load().waiting),
    gauge('rollbook_hash_waiting_limit', 'How many may wait.', () => hasher.load().limit),
    counter('rollbook_hash_refused_total', 'Passwords for which there was no room.', () => hasher.load().refused),
    counter('rollbook_hashes_total', 'Passwords that were hashed or verified.', () => hasher.load().done),
    counter('rollbook_hash_seconds_total', 'How long that took, without the waiting.', () => hasher.load().seconds),
    gauge('rollbook_credentials_remembered', 'Credentials in memory.', () => authenticator.cacheUse().entries),
    counter(
      'rollbook_credential_lookups_total',
      'Credentials that were looked up: in memory, or in the store.',
      () => {
        const { hits, misses } = authenticator.cacheUse()
        return each('result', { hit: hits, miss: misses })
      },
      ['result'],
    ),
  ]
}

function writing({ storage }: Working): Family[] {
  const changes = () => storage.load().changes
  const snapshots = () => storage.load().snapshots
  return [
    gauge('rollbook_changes_waiting', 'Changes under way, or waiting for their turn.', () => changes().waiting),
    gauge('rollbook_changes_waiting_limit', 'How many there may be.', () => changes().limit),
    counter('rollbook_changes_refused_total', 'Changes for which there was no room.', () => changes().refused),
    gauge('rollbook_snapshots_open', 'Whole lists that are being streamed.', () => snapshots().open),
    gauge('rollbook_snapshots_waiting', 'Whole lists that wait for a place.', () => snapshots().waiting),
    gauge('rollbook_snapshots_limit', 'How many may be streamed at once.', () => snapshots().places),
    counter('rollbook_snapshots_refused_total', 'Whole lists that found no place.', () => snapshots().refused),
  ]
}

function connections({ config, storage }: Working): Family[] {
  const up = gauge('rollbook_database_up', 'Whether the database takes changes.', () => Number(storage.isReady()))
  const damaged = gauge('rollbook_storage_damaged', 'Whether the storage has reported damage.', () =>
    Number(storage.isDamaged()),
  )
  const faults = counter(
    'rollbook_storage_faults_total',
    'Reads and changes that failed because of the storage.',
    () => each('kind', storage.load().faults),
    ['kind'],
  )
  if (config.databaseUrl === undefined) return [up, damaged, faults]
  const ofPools = (name: Family['name'], help: string, member: 'idle' | 'waiting' | 'limit') =>
    gauge(
      name,
      help,
      () => Object.entries(storage.load().pools).map(([pool, load]) => ({ labels: { pool }, value: load[member] })),
      ['pool'],
    )
  return [
    up,
    damaged,
    faults,
    gauge(
      'rollbook_database_silent_seconds',
      'How long ago the database last answered the look that is taken four times a second.',
      () => storage.ageMs() / 1000,
    ),
    gauge(
      'rollbook_database_connections',
      'Connections that are open and in use.',
      () =>
        Object.entries(storage.load().pools).map(([pool, { open, idle }]) => ({
          labels: { pool },
          value: open - idle,
        })),
      ['pool'],
    ),
    ofPools('rollbook_database_connections_idle', 'Connections that are open and not in use.', 'idle'),
    ofPools('rollbook_database_connections_limit', 'How many may be open.', 'limit'),
    ofPools('rollbook_database_connections_awaited', 'How many wait for one to be free.', 'waiting'),
  ]
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}
