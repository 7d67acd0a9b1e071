/** People for the tests: users with a password, and the browsers in which they are signed in. */
import assert from 'node:assert/strict'
import { type Answer, createUser, type Request, type Started } from './harness.ts'

export const password = 'nanoseconds on a string'

export type Person = { user_id: string; username: string; role: string }

export async function createPerson(app: Started, members: Record<string, string> = {}): Promise<Person> {
  return (await createUser(app, { password, ...members })) as Person
}

/** A browser with the cookie of a session; it sends what browsers send from a page of the same origin. */
export type Browser = {
  session_id: string
  cookie: string
  call(method: string, path: string, request?: Omit<Request, 'key'>): Promise<Answer>
}

export function signIn(app: Started, name: string, secret = password, headers: Record<string, string> = {}) {
  return app.call('POST', '/sessions', { key: null, body: { username: name, password: secret }, headers })
}

export async function openBrowser(app: Started, name: string, secret = password): Promise<Browser> {
  const response = await signIn(app, name, secret)
  assert.equal(response.status, 201, response.text)
  return browserAfter(app, response)
}

/** The browser after a response that set cookies. */
export function browserAfter(app: Started, response: Answer): Browser {
  const cookie = cookiesOf(response)
  return {
    session_id: response.body.session_id,
    cookie,
    call: (method, path, { headers, ...request } = {}) =>
      app.call(method, path, {
        ...request,
        key: null,
        headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers },
      }),
  }
}

export async function isSignedIn({ call }: Browser): Promise<boolean> {
  const { status, body } = await call('GET', '/me')
  if (status !== 200) assert.deepEqual([status, body.code], [401, 'credential_invalid'])
  return status === 200
}

/** The cookies of an answer, as a browser would send them back. */
export function cookiesOf({ headers }: Answer): string {
  return setCookies(headers)
    .map((line) => line.split(';', 1)[0])
    .join('; ')
}

export function setCookies(headers: Answer['headers']): string[] {
  const lines: unknown = headers['set-cookie'] ?? []
  return [lines].flat() as string[]
}
