/** An identity provider that speaks SCIM with the application. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { groupUrn, patchOpUrn, userUrn } from '../../src/scim/protocol/urns.ts'
import { type Answer, type Engine, type Started, start } from '../harness.ts'

export type Body = Record<string, unknown>

export type Provider = {
  app: Started
  key: string
  key_id: string
  connection_id: string
  /** Sends a request below `/scim/v2`, as application/scim+json. */
  scim(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  createUser(members?: Body): Promise<Answer['body']>
  createGroup(displayName: string, userIds?: readonly string[]): Promise<Answer['body']>
  patch(path: string, ...operations: Body[]): Promise<Answer>
}

type Options = Parameters<typeof start>[2]

export async function connect(t: TestContext, engine: Engine, options: Options = {}): Promise<Provider> {
  const app = await start(t, engine, options)
  return connectTo(app)
}

export async function connectTo(app: Started, connection: Body = {}): Promise<Provider> {
  const created = await app.call('POST', '/provisioning', { body: { name: `idp ${++names}`, ...connection } })
  assert.equal(created.status, 201, created.text)
  const { key, key_id, connection_id } = created.body
  const scim: Provider['scim'] = (method, path, body, headers = {}) =>
    app.call(method, `/scim/v2${path}`, {
      key: null,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
  const create = async (path: string, body: Body) => {
    const response = await scim('POST', path, body)
    assert.equal(response.status, 201, response.text)
    return response.body
  }
  return {
    app,
    key,
    key_id,
    connection_id,
    scim,
    createUser: (members = {}) => create('/Users', { schemas: [userUrn], userName: `user-${++names}`, ...members }),
    createGroup: (displayName, userIds = []) =>
      create('/Groups', { schemas: [groupUrn], displayName, members: userIds.map((value) => ({ value })) }),
    patch: (path, ...Operations) => scim('PATCH', path, { schemas: [patchOpUrn], Operations }),
  }
}

let names = 0

/** Checks that a request was refused in the format of RFC 7644 §3.12. */
export function assertRefused(response: Answer, status: number, scimType?: string): void {
  const { schemas, status: said, scimType: type, detail, ...rest } = response.body ?? {}
  assert.deepEqual([response.status, type], [status, scimType], response.text)
  assert.deepEqual(schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
  assert.equal(said, String(status))
  assert.match(detail, /^.+[.?]$/s)
  assert.deepEqual(rest, {})
  assert.match(response.headers['content-type'] ?? '', /^application\/scim\+json/)
}

export function filtered(filter: string): string {
  return `filter=${encodeURIComponent(filter)}`
}

/** The ids of the members of a group. */
export async function membersOf({ scim }: Provider, groupId: string): Promise<string[]> {
  const { body } = await scim('GET', `/Groups/${groupId}`)
  return body.members.map(({ value }: Body) => value).sort()
}
