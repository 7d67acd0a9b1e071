import { stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { backupRecord } from '../../store/db/sqlite/directory.ts'
import { counter, each, type Family, gauge, type Sample } from './family.ts'
import type { StoreReadings } from './store-readings.ts'

/** Contents of the store. Nodes that share one report the same. */
export function storeFamilies(read: () => Promise<StoreReadings | undefined>, isShared: boolean): Family[] {
  const pending = [
    gauge(
      'rollbook_journal_pending',
      'Changes whose records and events have no sequence number yet.',
      async () => (await read())?.pending?.count,
    ),
    gauge(
      'rollbook_journal_pending_age_seconds',
      'How long the oldest pending change has waited.',
      async () => (await read())?.pending?.ageSeconds,
    ),
  ]
  return [
    gauge(
      'rollbook_store_readable',
      'Whether this response contains the metrics that are read from the store.',
      async () => Number((await read()) !== undefined),
    ),
    counter(
      'rollbook_audit_records_total',
      'Sequence number of the newest audit record.',
      async () => (await read())?.auditHead,
    ),
    counter('rollbook_events_total', 'Sequence number of the newest event.', async () => (await read())?.eventHead),
    ...(isShared ? pending : []),
    gauge(
      'rollbook_api_key_next_expiry_timestamp_seconds',
      'When the next API key that was created for more than 30 days expires.',
      async () => {
        const end = (await read())?.nextKeyExpiry
        return end === undefined ? undefined : end / 1000
      },
    ),
    gauge(
      'rollbook_webhook_deliveries',
      'Deliveries that are due, queued behind another one, or given up (dead). Due and queued count active endpoints only.',
      async () => {
        const found = (await read())?.webhooks
        return found && each('status', { due: found.due, queued: found.queued, dead: found.dead })
      },
      ['status'],
    ),
    gauge(
      'rollbook_webhook_endpoints_failing',
      'Active endpoints whose deliveries currently fail.',
      async () => (await read())?.webhooks.failing,
    ),
    gauge(
      'rollbook_webhook_undelivered_age_seconds',
      'How long the oldest delivery to a working receiver has been waiting for its first attempt.',
      async () => (await read())?.webhooks.ageSeconds,
    ),
  ]
}

/** `rollbook backup` writes this file; operators of PostgreSQL touch it. Its modification time counts. */
export function backupFamily(dataDir: string, isShared: boolean): Family {
  return gauge(
    'rollbook_last_backup_timestamp_seconds',
    'When the last successful backup ended; 0 if there was none.',
    async () => {
      try {
        return (await stat(join(resolve(dataDir), backupRecord))).mtimeMs / 1000
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        return isShared ? undefined : 0
      }
    },
  )
}

/** SQLite's files, and the free space next to them. */
export function fileFamilies(dataDir: string): Family[] {
  const directory = resolve(dataDir)
  return [
    gauge('rollbook_data_free_bytes', 'Free space on the disk of the data directory.', async () => {
      const { bavail, bsize } = await statfs(directory)
      return bavail * bsize
    }),
    gauge(
      'rollbook_data_bytes',
      'Size of the database and its log.',
      async () => {
        const sizes = ['rollbook.db', 'rollbook.db-wal'].map((file) => sizeOf(directory, file))
        return (await Promise.all(sizes)).flat()
      },
      ['file'],
    ),
  ]
}

/** Between two starts there may be no log. */
async function sizeOf(directory: string, file: string): Promise<Sample[]> {
  try {
    const { size } = await stat(join(directory, file))
    return [{ labels: { file }, value: size }]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
