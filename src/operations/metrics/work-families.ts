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
      'Always 1; the labels say what is running.',
      () => [{ labels: build, value: 1 }],
      Object.keys(build),
    ),
    gauge('rollbook_ready', 'Whether the node accepts requests, as /health/ready reports.', () =>
      Number(lifecycle.stage === 'serving' && storage.isReady()),
    ),
    gauge('rollbook_http_connections', 'Open client connections.', () => connectionsOf(server)),
    gauge('rollbook_http_connections_limit', 'Limit of open client connections.', () => config.maxConnections),
    counter(
      'rollbook_event_loop_active_seconds_total',
      'How long the main thread was busy. If this grows by one second per second, the thread is saturated.',
      () => performance.eventLoopUtilization().active / 1000,
    ),
  ]
}

function signingIn({ hasher, authenticator, counts }: Working): Family[] {
  return [
    counter('rollbook_sign_ins_total', 'Sign-in attempts by outcome.', () => each('outcome', counts.signIns), [
      'outcome',
    ]),
    gauge('rollbook_hash_running', 'Passwords being hashed or verified now.', () => hasher.load().running),
    gauge('rollbook_hash_waiting', 'Passwords waiting to be hashed or verified.', () => hasher.load().waiting),
    gauge('rollbook_hash_waiting_limit', 'Limit of waiting passwords.', () => hasher.load().limit),
    counter(
      'rollbook_hash_refused_total',
      'Passwords refused because the queue was full.',
      () => hasher.load().refused,
    ),
    counter('rollbook_hashes_total', 'Passwords hashed or verified.', () => hasher.load().done),
    counter(
      'rollbook_hash_seconds_total',
      'Time spent on hashing and verifying, without waiting.',
      () => hasher.load().seconds,
    ),
    gauge('rollbook_credentials_remembered', 'Credentials in the cache.', () => authenticator.cacheUse().entries),
    counter(
      'rollbook_credential_lookups_total',
      'Credential lookups: cache hits, and misses that read the store.',
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
    gauge('rollbook_changes_waiting', 'Changes running or waiting.', () => changes().waiting),
    gauge('rollbook_changes_waiting_limit', 'Limit of running and waiting changes.', () => changes().limit),
    counter('rollbook_changes_refused_total', 'Changes refused because the queue was full.', () => changes().refused),
    gauge('rollbook_snapshots_open', 'Whole lists being streamed now.', () => snapshots().open),
    gauge('rollbook_snapshots_waiting', 'Whole lists waiting to be streamed.', () => snapshots().waiting),
    gauge('rollbook_snapshots_limit', 'Limit of whole lists streamed at once.', () => snapshots().places),
    counter(
      'rollbook_snapshots_refused_total',
      'Whole lists refused because the limit was reached.',
      () => snapshots().refused,
    ),
  ]
}

function connections({ config, storage }: Working): Family[] {
  const up = gauge('rollbook_database_up', 'Whether the database accepts changes.', () => Number(storage.isReady()))
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
      'Time since the database last responded to the check that runs four times per second.',
      () => storage.ageMs() / 1000,
    ),
    gauge(
      'rollbook_database_connections',
      'Open database connections in use.',
      () =>
        Object.entries(storage.load().pools).map(([pool, { open, idle }]) => ({
          labels: { pool },
          value: open - idle,
        })),
      ['pool'],
    ),
    ofPools('rollbook_database_connections_idle', 'Open database connections not in use.', 'idle'),
    ofPools('rollbook_database_connections_limit', 'Limit of open database connections.', 'limit'),
    ofPools('rollbook_database_connections_awaited', 'Requests waiting for a free database connection.', 'waiting'),
  ]
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}
