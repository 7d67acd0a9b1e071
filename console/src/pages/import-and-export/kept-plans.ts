/**
 * Unfinished imports, kept in the browser with their files, so that a reloaded page continues by itself. A file may hold
 * passwords, so it is deleted when the import is done, after a day and at sign-out, and sent only for the user who chose
 * it.
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

/** Returns false if the browser keeps nothing (private window, no room): then the user chooses the file again. */
export async function keepPlan(jobId: string, plan: ImportPlan, ownerId: string): Promise<boolean> {
  try {
    const stored: Kept = { ...plan, jobId, ownerId, keptAt: Date.now() }
    await run('readwrite', (store) => store.put(stored))
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
    // Without storage there are no old plans.
  }
}

export async function forgetAllPlans(): Promise<void> {
  try {
    await run('readwrite', (store) => store.clear())
  } catch {
    // Without storage there is no plan.
  }
}

export async function forgetPlan(jobId: string): Promise<void> {
  try {
    await run('readwrite', (store) => store.delete(jobId))
  } catch {
    // Without storage there is no plan.
  }
}
