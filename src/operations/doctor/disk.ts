/** Checks the disk under the data directory: free space, file system, and the time of a durable write. */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { megabytes } from '../../lib/amounts.ts'
import { type Finding, messageOf, reportOf } from './finding.ts'

const { ok, warning, failed, skipped } = reportOf('disk')

/** A change needs a few kilobytes, but a log that cannot be truncated for a while grows by much more. */
const fullBytes = 100 * 1024 * 1024
/** How often it measures; the median counts. */
const tries = 9
const slowMs = 50

/** The numbers by which statfs(2) identifies file systems. */
const kinds: Record<number, { name: string; advice: string }> = {
  16914836: { name: 'tmpfs', advice: 'tmpfs is memory: all data is lost when the machine restarts. Use a disk.' },
  26985: {
    name: 'NFS',
    advice: 'SQLite needs file locks, which are unreliable on network file systems. Use a local disk.',
  },
  4283649346: {
    name: 'CIFS',
    advice: 'SQLite needs file locks, which are unreliable on network file systems. Use a local disk.',
  },
  4266872130: {
    name: 'SMB',
    advice: 'SQLite needs file locks, which are unreliable on network file systems. Use a local disk.',
  },
  2035054128: {
    name: 'overlayfs',
    advice: 'This is a container layer: all data is lost with the container. Put the data on a volume.',
  },
}

export function checkDisk(directory: string): Finding[] {
  if (!existsSync(directory)) return [skipped('room', `${directory} does not exist yet`)]
  return [checkRoom(directory), checkKind(directory), checkSync(directory)]
}

function checkRoom(directory: string): Finding {
  const { bavail, bsize } = statfsSync(directory)
  const free = bavail * bsize
  const store = join(directory, 'rollbook.db')
  const size = existsSync(store) ? statSync(store).size : 0
  const found = `${megabytes(free)} free`
  if (free < fullBytes) return failed('room', found, 'Make room, or all changes will be refused.')
  if (free > size) return ok('room', found)
  return warning(
    'room',
    `${found}, less than the size of the store (${megabytes(size)})`,
    'A backup would not fit on this disk.',
  )
}

function checkKind(directory: string): Finding {
  const kind = kinds[statfsSync(directory).type]
  if (kind === undefined) return ok('file system', 'a disk, as far as known')
  return warning('file system', `the data directory is on ${kind.name}`, kind.advice)
}

/** Writes a temporary file and deletes it. */
function checkSync(directory: string): Finding {
  const file = join(directory, `doctor.${process.pid}`)
  const times: number[] = []
  try {
    const handle = openSync(file, 'wx', 0o600)
    try {
      for (let n = 0; n < tries; n++) {
        const begun = performance.now()
        writeSync(handle, Buffer.alloc(4096, n))
        fsyncSync(handle)
        times.push(performance.now() - begun)
      }
    } finally {
      closeSync(handle)
      rmSync(file, { force: true })
    }
  } catch (error) {
    const advice = 'The user of the service must be able to write there. Run this command as that user.'
    return failed('writing', `${directory} cannot be written to: ${messageOf(error)}`, advice)
  }
  const middle = times.toSorted((a, b) => a - b)[Math.floor(tries / 2)] as number
  const found = `writing 4 kB takes ${middle.toFixed(middle < 1 ? 2 : 1)} ms`
  if (middle < slowMs) return ok('writing', found)
  const advice =
    'Each commit waits for a write, but concurrent changes share one commit. Use a faster disk if changes are slow.'
  return warning('writing', found, advice)
}
