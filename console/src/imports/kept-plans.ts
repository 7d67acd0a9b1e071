/**
 * Imports that are under way, kept in the browser with their files, so that a page that is loaded anew goes on by itself.
 * A file may hold passwords: what is done is taken out again, what is older than a day, and everything at sign-out; and it is
 * sent for nobody but its owner, the user who chose it.
 */
import type { ImportPlan } from './plan.ts'

type Kept = ImportPlan & { jobId: string; ownerId: string; keptAt: number }

const longestMs = 24 * 60 * 60 * 1000

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('rollbook-imports', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('plans', { keyPath: 'jobId' })
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const db = await open()
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction('plans', mode)
      const request = work(transaction.objectStore('plans'))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
      transaction.onerror = () => reject(transaction.error)
    })
  } finally {
    db.close()
  }
}

/** False when the browser keeps nothing (a private window, no room): then the file is asked for again. */
export async function keepPlan(jobId: string, plan: ImportPlan, ownerId: string): Promise<boolean> {
  try {
    const kept: Kept = { ...plan, jobId, ownerId, keptAt: Date.now() }
    await run('readwrite', (store) => store.put(kept))
    return true
  } catch {
    return false
  }
}

export async function findPlan(jobId: string, ownerId: string): Promise<ImportPlan | undefined> {
  try {
    await forgetOldPlans()
    const plan = (await run('readonly', (store) => store.get(jobId))) as Kept | undefined
    return plan?.ownerId === ownerId ? plan : undefined
  } catch {
    return undefined
  }
}

export async function forgetOldPlans(): Promise<void> {
  try {
    const all = (await run('readonly', (store) => store.getAll())) as Kept[]
    for (const { jobId, keptAt } of all) if (Date.now() - keptAt > longestMs) await forgetPlan(jobId)
  } catch {
    // Where nothing can be kept, nothing is old.
  }
}

export async function forgetAllPlans(): Promise<void> {
  try {
    await run('readwrite', (store) => store.clear())
  } catch {
    // Where nothing can be kept, nothing is there.
  }
}

export async function forgetPlan(jobId: string): Promise<void> {
  try {
    await run('readwrite', (store) => store.delete(jobId))
  } catch {
    // Where nothing can be kept, nothing is there.
  }
}
