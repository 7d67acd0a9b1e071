/** An administrator who acts as a user, for the tests. */
import assert from 'node:assert/strict'
import type { Answer, Started } from './harness.ts'
import { type Browser, browserAfter, createPerson, openBrowser, type Person } from './people.ts'

export const reason = 'Case 4711: the report is empty.'

export function startImpersonation({ call }: Browser, user_id: string, body: unknown = { reason }): Promise<Answer> {
  return call('POST', `/users/${user_id}/impersonation`, { body })
}

export type Acting = {
  /** The administrator, and their browser before. */
  grace: Person
  own: Browser
  ada: Person
  /** The browser in which grace acts as ada. */
  acting: Browser
}

export async function actAs(app: Started, members: Record<string, string> = {}, username = 'grace'): Promise<Acting> {
  const grace = await createPerson(app, { username, role: 'admin' })
  const ada = await createPerson(app, {
    username: 'ada',
    email: `${members.username ?? 'ada'}@example.com`,
    ...members,
  })
  const own = await openBrowser(app, username)
  const response = await startImpersonation(own, ada.user_id)
  assert.equal(response.status, 201, response.text)
  return { grace, own, ada, acting: browserAfter(app, response) }
}
