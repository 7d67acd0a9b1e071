/** Writes data to a new file, or to standard output. */
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../../core/errors.ts'
import { syncNames } from '../../store/db/sqlite/sync.ts'
import { fileWriter } from './standard-output.ts'

/**
 * Writes to a file that only its owner can read and that gets its name once it is complete, or to standard output.
 *
 * @param sanitize makes the text safe for a terminal
 * @throws OperatorError if the file exists
 */
export async function writeNewFile(
  content: Readable,
  file: string | undefined,
  { sanitize, signal }: { sanitize: (text: string) => string; signal?: AbortSignal | undefined },
): Promise<void> {
  const options = signal ? { signal } : {}
  if (file === undefined) {
    const put = fileWriter(sanitize)
    return pipeline(
      content,
      async (pieces: AsyncIterable<Uint8Array | string>) => {
        for await (const piece of pieces) await put(Buffer.from(piece))
      },
      options,
    )
  }
  refuseExisting(file)
  const draft = `${file}.${process.pid}.part`
  try {
    await pipeline(content, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }), options)
    refuseExisting(file)
    renameSync(draft, file)
    syncNames(file)
  } finally {
    rmSync(draft, { force: true })
  }
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new OperatorError(`${file} already exists and was not changed. Choose another name.`)
}
