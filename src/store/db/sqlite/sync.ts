import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/** Waits until a file, or a directory's entries, are on the disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

export function syncNames(path: string): void {
  syncFile(dirname(path))
}
