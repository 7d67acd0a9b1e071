/** All records that match, as a file of NDJSON. */
import type { AuditFilter } from 'rollbook/client'
import { api } from '../api/client.ts'
import { saveFile } from '../ui/save-file.ts'

// Handed to the browser in parts of this size, which it may keep on its disk.
const partBytes = 8 << 20

type Options = { signal: AbortSignal; onProgress: (bytes: number) => void }

/** A stream that was cut fails, and leaves no file: what is not whole must not look whole. */
export async function saveRecords(query: AuditFilter, name: string, { signal, onProgress }: Options): Promise<void> {
  const { body } = await api.open('GET', '/audit', { query, headers: { accept: 'application/x-ndjson' }, signal })
  const parts: Blob[] = []
  let waiting: BlobPart[] = []
  let [bytes, waitingBytes] = [0, 0]
  for await (const chunk of body) {
    waiting.push(chunk as Uint8Array<ArrayBuffer>)
    bytes += chunk.length
    waitingBytes += chunk.length
    if (waitingBytes >= partBytes) {
      parts.push(new Blob(waiting))
      waiting = []
      waitingBytes = 0
      onProgress(bytes)
    }
  }
  onProgress(bytes)
  saveFile(new Blob([...parts, ...waiting], { type: 'application/x-ndjson' }), name)
}
