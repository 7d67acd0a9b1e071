/** An application with the list of its routes, and everything that a request to them could change. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { TestContext } from 'node:test'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { type Engine, type Started, start } from '../harness.ts'

/** Everything that a request could have changed. */
export function everything({ runSql }: Started): Promise<Record<string, unknown>[]> {
  const rows = (table: string, id: string, ...columns: string[]) =>
    `SELECT '${table}' AS what, ${id} AS id, ${columns.map((name) => `coalesce(CAST(${name} AS text), '-')`).join(" || ' ' || ")} AS row FROM ${table}`
  const tables = [
    rows('users', 'user_id', 'document', 'version', 'password_hash', 'must_change_password', 'credentials_version'),
    rows('api_keys', 'key_id', 'key_hash', 'previous_hash', 'permissions', 'user_id', 'user_permissions', 'expires_at'),
    rows('sessions', 'session_id', 'token_hash', 'expires_at'),
    rows('signing_keys', 'kid', 'signs_from', 'retired_at', 'expires_at'),
    rows('revoked', 'CAST(seq AS text)', 'kind', 'id'),
    rows('deleted_users', 'user_id', 'user_row', 'restorable_until'),
    rows('erasures', 'user_id', 'requested_at'),
    rows('webhook_endpoints', 'endpoint_id', 'url', 'secret', 'version'),
    rows('user_groups', 'group_id', 'version'),
    rows('organizations', 'organization_id', 'version'),
    rows('organization_domains', 'domain', 'organization_id', 'verified_at'),
    rows('organization_setup_links', 'setup_link_id', 'revoked_at'),
    rows('attribute_definitions', 'name', 'version'),
    rows('configuration_objects', 'object_id', 'applied'),
    rows('configuration_applies', 'apply_id', 'plan'),
    rows('branding', 'scope', 'version'),
    rows('webhook_deliveries', 'delivery_id', 'status'),
    rows('mails', 'mail_id', 'status'),
    `${rows('sign_in_throttles', 'throttle_key', 'failures')} WHERE failures > 0`,
  ]
  return runSql(`${tables.join(' UNION ALL ')} ORDER BY 1, 2`)
}

type Registered = Pick<RouteOptions, 'method' | 'url'> & { scope: string | undefined }

/** Every route that Fastify gets to know while the application is built, documented or not. */
export async function startWatched(
  t: TestContext,
  engine: Engine,
  env: Record<string, string> = {},
): Promise<{ app: Started; registered: Registered[] }> {
  const registered: Registered[] = []
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url, config }) => void registered.push({ method, url, scope: config?.scope }))
  }
  subscribe('fastify.initialization', watch)
  try {
    return { app: await start(t, engine, { env }), registered }
  } finally {
    unsubscribe('fastify.initialization', watch)
  }
}
