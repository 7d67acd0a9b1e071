/** Sign-ins of the command line for the tests: what the command sends, and what the browser does. */
import { hash } from 'node:crypto'
import type { Answer, Started } from './harness.ts'
import type { Browser } from './people.ts'

export const verifier = 'a-verifier-of-the-tests-with-43-characters-0'
export const redirectUri = 'http://127.0.0.1:49152/callback'
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
export const loopback = {
  name: 'laptop',
  redirect_uri: redirectUri,
  state: 'state-of-the-tests',
  code_challenge: hash('sha256', verifier, 'base64url'),
  code_challenge_method: 'S256',
}

type Members = Record<string, unknown>

export function requestLogin({ call }: Pick<Started, 'call'>, body: Members = loopback): Promise<Answer> {
  return call('POST', '/cli-logins', { key: null, body })
}

export function exchange({ call }: Pick<Started, 'call'>, body: Members): Promise<Answer> {
  return call('POST', '/cli-logins/token', { key: null, body })
}

/** The path of a page below the prefix. */
export const pathOf = (uri: string) => new URL(uri).pathname.replace(/^\/auth/, '')

/** Sends a form as the browser does. */
export function submit(
  { call }: Pick<Browser, 'call'>,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return call('POST', path, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
    body: new URLSearchParams(fields).toString(),
  })
}

/** Where the page after the decision leads the browser. */
export function backFrom({ text }: Answer): URL {
  const [, href = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(text) ?? []
  return new URL(href.replaceAll('&amp;', '&'))
}

/** A sign-in that the user has approved, and what the command exchanges. */
export async function approvedLoopback(
  app: Started,
  browser: Browser,
  members: Members = {},
): Promise<Record<string, string>> {
  const { body } = await requestLogin(app, { ...loopback, ...members })
  const back = backFrom(await submit(browser, pathOf(body.login_uri), { decision: 'approve' }))
  const code = back.searchParams.get('code') ?? ''
  const redirect_uri = String(members.redirect_uri ?? redirectUri)
  return { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }
}
