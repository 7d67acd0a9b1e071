/** Saves all matching records as an NDJSON file. */
import type { AuditFilter } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { saveFile } from '../../ui/save-file.ts'

// The size of the blobs handed to the browser, which may keep them on disk.
const partBytes = 8 << 20

type Options = { signal: AbortSignal; onProgress: (bytes: number) => void }

/** A cut stream fails and leaves no file: an incomplete export must not look complete. */
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
