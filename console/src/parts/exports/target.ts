/** The destination of an export: a chosen file, or a download where the browser cannot write files. */
import { saveFile } from '../../ui/save-file.ts'

export type Target = {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** The export is complete: the file gets its name. */
  finish(): Promise<void>
  /** Removes the file. */
  discard(): Promise<void>
}

type Handle = FileSystemFileHandle & { remove?: () => Promise<void> }
type Picker = (options: { suggestedName: string }) => Promise<Handle>

/** Undefined if the user chose no file. */
export async function openTarget(name: string, type: string): Promise<Target | undefined> {
  // Not available on plain http or in every browser.
  const { showSaveFilePicker } = window as { showSaveFilePicker?: Picker }
  if (showSaveFilePicker === undefined) return inMemory(name, type)
  try {
    return await ofHandle(await showSaveFilePicker({ suggestedName: name }))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    throw error
  }
}

async function ofHandle(handle: Handle): Promise<Target> {
  const writable = await handle.createWritable()
  return {
    write: (bytes) => writable.write(bytes),
    finish: () => writable.close(),
    async discard() {
      await writable.abort()
      // The dialog created an empty file, unless one existed.
      if ((await handle.getFile()).size === 0) await handle.remove?.()
    },
  }
}

/** Browsers keep larger blobs on disk. */
const pieceBytes = 4 * 1024 * 1024

function inMemory(name: string, type: string): Target {
  const pieces: Blob[] = []
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const put = () => {
    pieces.push(new Blob(chunks))
    chunks = []
    length = 0
  }
  return {
    async write(bytes) {
      chunks.push(bytes)
      length += bytes.length
      if (length >= pieceBytes) put()
    },
    async finish() {
      put()
      saveFile(new Blob(pieces, { type }), name)
    },
    async discard() {
      pieces.length = 0
      chunks = []
    },
  }
}
