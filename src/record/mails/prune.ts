/** Deletes messages that were finished a month ago, in pieces. */
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'

/** The rest is deleted in the next round. */
const piecesLimit = 100

export async function pruneMails(storage: Storage, request: ChangeRequest): Promise<void> {
  for (let piece = 0; piece < piecesLimit; piece++) {
    if (!(await storage.change('mails.prune', undefined, request)).result) return
  }
}
