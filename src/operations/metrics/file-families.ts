import { stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Family, gauge, type Sample } from '../../core/metric-family.ts'
import { backupRecord } from '../../store/db/sqlite/directory.ts'

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
