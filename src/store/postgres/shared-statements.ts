import { shareFaults } from '../../lib/fault-owner.ts'
import type { Transaction } from '../db/db.ts'

type Work = (db: Transaction, inputs: never) => Promise<readonly unknown[]>
type Waiting = { input: unknown; resolve(found: unknown): void; reject(error: unknown): void }

/** Where statements are written; while it is corked, they are collected into one system call. */
export type Way = { cork(): void; uncork(): void }

/** Returns a function that collects the reads of one turn of the event loop and runs equal ones as one statement. */
export function collectTurns(db: Transaction, way: Way) {
  let waiting = new Map<Work, Waiting[]>()

  function askAll(): void {
    const all = waiting
    waiting = new Map()
    try {
      for (const [work, questions] of all) runTogether(work, questions)
    } finally {
      way.uncork()
    }
  }

  function runTogether(work: Work, questions: readonly Waiting[]): void {
    // An error in writing one statement is not one of the others.
    Promise.try(work, db, questions.map(({ input }) => input) as never).then(
      (found) => {
        for (const [n, { resolve }] of questions.entries()) resolve(found[n])
      },
      (error) => {
        for (const { reject } of questions) reject(error)
      },
    )
  }

  return <Asked, Found>(
    work: (db: Transaction, inputs: readonly Asked[]) => Promise<readonly Found[]>,
    input: Asked,
  ): Promise<Found> =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) {
        way.cork()
        shareFaults(() => setImmediate(askAll))
      }
      const question = { input, resolve: resolve as Waiting['resolve'], reject }
      const known = waiting.get(work as Work)
      if (known === undefined) waiting.set(work as Work, [question])
      else known.push(question)
    })
}
