import type { Row } from '../report.ts'
import { users } from '../users.ts'

export type Settings = {
  seconds: number
  rounds: number
  profile: boolean
  /** Overrides each part's own number of users. */
  users?: number
}

export type Part = (settings: Settings) => Promise<Row[]>

/** Node becomes fast after a number of requests, and some parts make few of them per second. */
export const longWarmUpSeconds = 4

export const many = 100_000
export const million = 1_000_000

/** Paths of up to 100,000 users, drawn evenly from all. */
export function userPaths(count: number): string[] {
  const step = Math.ceil(count / 100_000)
  const paths: string[] = []
  let i = 0
  for (const user of users(count)) if (i++ % step === 0) paths.push(`/users/${user.user_id}`)
  return paths
}
