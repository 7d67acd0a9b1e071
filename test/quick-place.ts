import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Returns a folder in memory if one has room, else the folder for temporary files: tests need no disk, and commits wait for it. */
export function quickPlace(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= 2 * 1024 ** 3 ? memory : tmpdir()
}
