import { counter, each, type Family, gauge } from '../../core/metric-family.ts'
import { isServer } from '../db/dialect.ts'
import type { Storage } from './storage.ts'

export function storageFamilies(storage: Storage): Family[] {
  return [...changeFamilies(storage), ...databaseFamilies(storage)]
}

function changeFamilies(storage: Storage): Family[] {
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

function databaseFamilies(storage: Storage): Family[] {
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
  if (!isServer(storage.db)) return [up, damaged, faults]
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
