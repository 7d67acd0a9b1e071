/**
 * What each operation that changes something leaves in the audit, written down here by hand: how it is called so that it
 * succeeds, and what its record should say. A new operation is added here before it can pass.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { makeSetupLink } from '../../src/access/sign-in/setup/link.ts'
import { system } from '../../src/core/actor.ts'
import { Authenticator } from '../authenticator.ts'
import { approvedLoopback } from '../cli-login.ts'
import { addPhone, codeOf } from '../factors.ts'
import { type Answer, createUser, type Started } from '../harness.ts'
import { type Browser, createPerson, openBrowser, password } from '../people.ts'
import { mailTable } from './audit-table-mails.ts'

export type Recorded = {
  action: string
  target?: { kind: string; id: string; name: string | undefined }
  changes?: Record<string, unknown>
  details?: Record<string, unknown>
  /** When it is not who called. */
  actor?: { kind: string; id: string; name: string | undefined }
}

export type Attempt = {
  path: string
  body?: unknown
  /** When the body is no JSON. */
  type?: string
  /** The caller; by default the administrator's key. `nobody` sends no credential. */
  by?: Caller | 'nobody'
  recorded(response: Answer): Recorded
}

export type Caller = Browser & { user_id: string; username: string }

/** Makes what the operation needs. An operation that does several kinds of things has several. */
export type Prepare = (app: Started) => Promise<Attempt>

const next = 'a moth in relay seventy'
const is = (before: unknown, after: unknown) => ({ before, after })
const became = (after: unknown) => is(null, after)
const was = (before: unknown) => is(before, null)

type User = { user_id: string; username: string }

const userTarget = ({ user_id, username }: User) => ({ kind: 'user', id: user_id, name: username })
const newUser = async (app: Started, members: Record<string, string> = {}) => (await createUser(app, members)) as User

async function deletedUser(app: Started): Promise<User> {
  const user = await newUser(app)
  assert.equal((await app.call('DELETE', `/users/${user.user_id}`)).status, 200)
  return user
}

const erased = (id: string) => ({ action: 'user.erased', target: { kind: 'user', id, name: undefined } })

/** What is said of a user who has come or gone: what was empty is no change. */
function wholeUser(side: (value: unknown) => unknown, members: Record<string, unknown>): Record<string, unknown> {
  const all = { role: 'user', active: true, ...members }
  return Object.fromEntries(Object.entries(all).map(([member, value]) => [member, side(value)]))
}

async function addPerson(app: Started, members: Record<string, string> = {}): Promise<Caller> {
  const { user_id, username } = await createPerson(app, members)
  return { ...(await openBrowser(app, username)), user_id, username }
}

/** Signing in twice would take a clock; the row is what counts here. */
async function trustedBrowserOf(app: Started, { user_id }: { user_id: string }): Promise<string> {
  const browser_id = randomUUID()
  const [now, later] = [new Date().toISOString(), '2999-01-01T00:00:00.000Z']
  await app.runSql(`
    INSERT INTO trusted_browsers (browser_id, user_id, token_hash, created_at, expires_at, last_used_at, address, user_agent)
    VALUES ('${browser_id}', '${user_id}', 'x', '${now}', '${later}', '${now}', '127.0.0.1', '')`)
  return browser_id
}

async function newKey(app: Started): Promise<{ key_id: string; key: string; prefix: string }> {
  const response = await app.call('POST', '/keys', { body: { name: 'nightly', permissions: ['users:read'] } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

const keyTarget = (key_id: string) => ({ kind: 'key', id: key_id, name: 'nightly' })

const users: Record<string, Prepare | Prepare[]> = {
  export_users_users_export_post: async () => ({
    path: '/users/export',
    body: { passphrase: 'opened by few: nanoseconds' },
    recorded: ({ headers }) => ({
      action: 'users.exported',
      details: { users: Number(headers['total-count']), with_password_hashes: true, with_second_factors: true },
    }),
  }),
  // There is also one for each user it changes (src/administration/imports/imports.test.ts): here it changes none.
  import_users_users_import_post: async (app) => {
    const { username } = await newUser(app)
    const counts = { created: 0, updated: 0, unchanged: 1, skipped: 0, rejected: 0 }
    return {
      path: '/users/import',
      body: JSON.stringify({ username }),
      type: 'application/x-ndjson',
      recorded: ({ body }) => ({
        action: 'import.finished',
        target: { kind: 'import', id: body.job_id, name: undefined },
        details: { rows_done: 1, ...counts },
      }),
    }
  },
  cancel_import_imports__job_id__cancel_post: async (app) => {
    const headers = { 'content-type': 'application/x-ndjson' }
    const begun = await app.call('POST', '/users/import?complete=false', { body: '', headers })
    assert.equal(begun.status, 200, begun.text)
    const counts = { created: 0, updated: 0, unchanged: 0, skipped: 0, rejected: 0 }
    return {
      path: `/imports/${begun.body.job_id}/cancel`,
      recorded: ({ body }) => ({
        action: 'import.cancelled',
        target: { kind: 'import', id: body.job_id, name: undefined },
        details: { rows_done: 0, ...counts },
      }),
    }
  },
  // There is one for each changed user.
  change_users_users_bulk_post: [
    async (app) => {
      const person = await addPerson(app)
      return {
        path: '/users/bulk',
        body: { action: 'deactivate', filter: { username: person.username } },
        recorded: () => ({
          action: 'user.updated',
          target: userTarget(person),
          changes: { active: is(true, false) },
        }),
      }
    },
    async (app) => {
      const person = await addPerson(app)
      return {
        path: '/users/bulk',
        body: { action: 'set_locale', locale: 'de', user_ids: [person.user_id] },
        recorded: () => ({ action: 'user.updated', target: userTarget(person), changes: { locale: is(null, 'de') } }),
      }
    },
    async (app) => {
      const person = await addPerson(app)
      return {
        path: '/users/bulk',
        body: { action: 'end_sessions', user_ids: [person.user_id] },
        recorded: () => ({ action: 'user.sessions_ended', target: userTarget(person), details: { ended: 1 } }),
      }
    },
    async (app) => {
      const user = await deletedUser(app)
      return {
        path: '/users/bulk',
        body: { action: 'restore', user_ids: [user.user_id] },
        recorded: () => ({ action: 'user.restored', target: userTarget(user) }),
      }
    },
  ],
  create_user_users_post: async () => ({
    path: '/users',
    body: { username: 'Grace', email: 'grace@example.org', last_name: 'Hopper', password },
    recorded: ({ body }) => ({
      action: 'user.created',
      target: { kind: 'user', id: body.user_id, name: 'Grace' },
      changes: {
        ...wholeUser(became, { username: 'Grace', email: 'grace@example.org', last_name: 'Hopper' }),
        password: 'changed',
      },
    }),
  }),
  update_user_users__user_id__patch: [
    async (app) => {
      const user = await newUser(app, { email: 'before@example.org' })
      return {
        path: `/users/${user.user_id}`,
        body: { email: null, role: 'admin', first_name: '' },
        recorded: () => ({
          action: 'user.updated',
          target: userTarget(user),
          changes: { email: was('before@example.org'), role: is('user', 'admin') },
        }),
      }
    },
    // Sessions end with it; it is one operation nevertheless.
    async (app) => {
      const person = await addPerson(app)
      return {
        path: `/users/${person.user_id}`,
        body: { active: false },
        recorded: () => ({
          action: 'user.updated',
          target: userTarget(person),
          changes: { active: is(true, false) },
        }),
      }
    },
    async (app) => {
      const user = await newUser(app)
      const body = { username: user.username }
      return {
        path: `/users/${user.user_id}`,
        body,
        recorded: () => ({ action: 'user.updated', target: userTarget(user) }),
      }
    },
  ],
  delete_user_users__user_id__delete: [
    async (app) => {
      const person = await addPerson(app)
      return {
        path: `/users/${person.user_id}`,
        recorded: ({ body: { restorable_until } }) => ({
          action: 'user.deleted',
          target: userTarget(person),
          changes: { ...wholeUser(was, { username: person.username }), password: 'changed' },
          details: { restorable_until },
        }),
      }
    },
    // The record of an erasure contains only the id.
    async (app) => {
      const { user_id } = await addPerson(app)
      return { path: `/users/${user_id}?purge=true`, recorded: () => erased(user_id) }
    },
    async (app) => {
      const { user_id } = await deletedUser(app)
      return { path: `/users/${user_id}?purge=true`, recorded: () => erased(user_id) }
    },
  ],
  restore_user_users__user_id__restore_post: async (app) => {
    const user = await deletedUser(app)
    return {
      path: `/users/${user.user_id}/restore`,
      recorded: () => ({ action: 'user.restored', target: userTarget(user) }),
    }
  },
  set_password_users__user_id__password_post: async (app) => {
    const person = await addPerson(app)
    return {
      path: `/users/${person.user_id}/password`,
      body: { password: next, must_change: true },
      recorded: () => ({
        action: 'user.password_set',
        target: userTarget(person),
        changes: { password: 'changed', must_change_password: is(false, true) },
      }),
    }
  },
  unlock_user_users__user_id__lock_delete: async (app) => {
    const user = await newUser(app)
    return {
      path: `/users/${user.user_id}/lock`,
      recorded: () => ({ action: 'user.unlocked', target: userTarget(user) }),
    }
  },
  impersonate_user_users__user_id__impersonation_post: async (app) => {
    const by = await addPerson(app, { role: 'admin' })
    const person = await createPerson(app)
    return {
      path: `/users/${person.user_id}/impersonation`,
      body: { reason: 'Case 4711' },
      by,
      recorded: ({ body: { session_id, expires_at } }) => ({
        action: 'user.impersonated',
        target: userTarget(person),
        details: { session_id, expires_at, reason: 'Case 4711' },
      }),
    }
  },
  end_user_sessions_users__user_id__sessions_delete: async (app) => {
    const person = await addPerson(app)
    return {
      path: `/users/${person.user_id}/sessions`,
      recorded: () => ({ action: 'user.sessions_ended', target: userTarget(person), details: { ended: 1 } }),
    }
  },
  end_user_session_users__user_id__sessions__session_id__delete: async (app) => {
    const person = await addPerson(app)
    const { session_id } = person
    return {
      path: `/users/${person.user_id}/sessions/${session_id}`,
      recorded: () => ({ action: 'session.ended', target: userTarget(person), details: { session_id } }),
    }
  },
}

const own: Record<string, Prepare | Prepare[]> = {
  create_session_sessions_post: async (app) => {
    const person = await createPerson(app)
    return {
      path: '/sessions',
      body: { username: person.username, password },
      by: 'nobody',
      recorded: ({ body: { session_id } }) => ({
        action: 'session.created',
        actor: userTarget(person),
        target: userTarget(person),
        details: { session_id, amr: ['pwd'] },
      }),
    }
  },
  complete_setup_setup_post: async (app) => {
    // An existing administrator would prevent the link.
    await app.runSql("UPDATE users SET active = 0 WHERE role = 'admin'")
    const request = { actor: system, now: Date.now(), requestId: 'table' }
    const link = await makeSetupLink(app.storage, '', request)
    await app.storage.settleJournal()
    return {
      path: '/setup',
      body: { token: link?.split('#token=')[1], username: 'First', password },
      by: 'nobody',
      recorded: ({ body: { user_id } }) => ({
        action: 'user.created',
        actor: { kind: 'user', id: user_id, name: 'First' },
        target: { kind: 'user', id: user_id, name: 'First' },
        changes: { ...wholeUser(became, { username: 'First', role: 'admin' }), password: 'changed' },
        details: { by: 'setup_link' },
      }),
    }
  },
  delete_me_me_delete: async (app) => {
    const by = await addPerson(app)
    return {
      path: '/me',
      by,
      recorded: ({ body: { restorable_until } }) => ({
        action: 'user.deleted',
        target: userTarget(by),
        changes: { ...wholeUser(was, { username: by.username }), password: 'changed' },
        details: { restorable_until },
      }),
    }
  },
  update_me_me_patch: async (app) => {
    const by = await addPerson(app)
    return {
      path: '/me',
      body: { first_name: 'Ada', email: 'ada@example.org', current_password: password },
      by,
      recorded: () => ({
        action: 'user.updated',
        target: userTarget(by),
        changes: { first_name: is('', 'Ada') },
        // It replaces the old one when it is confirmed.
        details: { pending_email: 'ada@example.org' },
      }),
    }
  },
  change_my_password_me_password_post: async (app) => {
    const by = await addPerson(app)
    return {
      path: '/me/password',
      body: { current_password: password, new_password: next },
      by,
      recorded: () => ({ action: 'user.password_set', target: userTarget(by), changes: { password: 'changed' } }),
    }
  },
  add_totp_me_factors_totp_post: async (app) => {
    const by = await addPerson(app)
    return {
      path: '/me/factors/totp',
      body: { name: 'phone' },
      by,
      recorded: ({ body: { factor_id } }) => ({
        action: 'factor.begun',
        target: userTarget(by),
        details: { factor_id, kind: 'totp', name: 'phone' },
      }),
    }
  },
  confirm_totp_me_factors_totp__factor_id__confirm_post: async (app) => {
    const by = await addPerson(app)
    const { factor_id, secret } = (await by.call('POST', '/me/factors/totp', { body: { name: 'phone' } })).body
    return {
      path: `/me/factors/totp/${factor_id}/confirm`,
      body: { code: codeOf(secret, Date.now()) },
      by,
      recorded: () => ({
        action: 'factor.added',
        target: userTarget(by),
        details: { factor_id, kind: 'totp', name: 'phone', sessions_ended: 0 },
      }),
    }
  },
  begin_passkey_me_factors_passkeys_options_post: async (app) => {
    const by = await addPerson(app)
    return {
      path: '/me/factors/passkeys/options',
      by,
      recorded: () => ({ action: 'factor.begun', target: userTarget(by), details: { kind: 'passkey' } }),
    }
  },
  add_passkey_me_factors_passkeys_post: async (app) => {
    const by = await addPerson(app)
    const { body } = await by.call('POST', '/me/factors/passkeys/options')
    const device = new Authenticator({ origin: new URL(app.config.publicUrl ?? 'http://localhost').origin })
    return {
      path: '/me/factors/passkeys',
      body: { passkey: device.create(body.options), name: 'laptop' },
      by,
      recorded: ({ body: { factor_id } }) => ({
        action: 'factor.added',
        target: userTarget(by),
        details: { factor_id, kind: 'passkey', name: 'laptop', sessions_ended: 0 },
      }),
    }
  },
  rename_my_factor_me_factors__factor_id__patch: async (app) => {
    const by = await addPerson(app)
    const { factor_id } = await addPhone(by, Date.now())
    return {
      path: `/me/factors/${factor_id}`,
      body: { name: 'old phone' },
      by,
      recorded: () => ({
        action: 'factor.renamed',
        target: userTarget(by),
        changes: { name: is('phone', 'old phone') },
        details: { factor_id },
      }),
    }
  },
  remove_my_factor_me_factors__factor_id__delete: async (app) => {
    const by = await addPerson(app)
    const { factor_id } = await addPhone(by, Date.now())
    return {
      path: `/me/factors/${factor_id}`,
      by,
      recorded: () => ({
        action: 'factor.removed',
        target: userTarget(by),
        details: { factor_id, kind: 'totp', name: 'phone' },
      }),
    }
  },
  replace_recovery_codes_me_recovery_codes_post: async (app) => {
    const by = await addPerson(app)
    await addPhone(by, Date.now())
    return {
      path: '/me/recovery-codes',
      by,
      recorded: () => ({ action: 'recovery_codes.replaced', target: userTarget(by), details: { codes: 10 } }),
    }
  },
  remove_user_factor_users__user_id__factors__factor_id__delete: async (app) => {
    const person = await addPerson(app)
    const { factor_id } = await addPhone(person, Date.now())
    return {
      path: `/users/${person.user_id}/factors/${factor_id}`,
      recorded: () => ({
        action: 'factor.removed',
        target: userTarget(person),
        details: { factor_id, kind: 'totp', name: 'phone' },
      }),
    }
  },
  reset_user_factors_users__user_id__factors_delete: async (app) => {
    const person = await addPerson(app)
    await addPhone(person, Date.now())
    return {
      path: `/users/${person.user_id}/factors`,
      recorded: () => ({ action: 'user.factors_reset', target: userTarget(person), details: { removed: 1 } }),
    }
  },
  reauthenticate_sessions_current_reauthentication_post: async (app) => {
    const by = await addPerson(app)
    const { session_id } = by
    return {
      path: '/sessions/current/reauthentication',
      body: { password },
      by,
      recorded: () => ({
        action: 'session.reauthenticated',
        target: userTarget(by),
        details: { session_id, method: 'password' },
      }),
    }
  },
  remove_my_trusted_browser_me_trusted_browsers__browser_id__delete: async (app) => {
    const by = await addPerson(app)
    const browser_id = await trustedBrowserOf(app, by)
    return {
      path: `/me/trusted-browsers/${browser_id}`,
      by,
      recorded: () => ({ action: 'trusted_browser.removed', target: userTarget(by), details: { browser_id } }),
    }
  },
  remove_user_trusted_browser_users__user_id__trusted_browsers__browser_id__delete: async (app) => {
    const person = await addPerson(app)
    const browser_id = await trustedBrowserOf(app, person)
    return {
      path: `/users/${person.user_id}/trusted-browsers/${browser_id}`,
      recorded: () => ({ action: 'trusted_browser.removed', target: userTarget(person), details: { browser_id } }),
    }
  },
  end_other_sessions_sessions_delete: async (app) => {
    const by = await addPerson(app)
    await openBrowser(app, by.username)
    return {
      path: '/sessions',
      by,
      recorded: () => ({ action: 'user.sessions_ended', target: userTarget(by), details: { ended: 1 } }),
    }
  },
  end_session_sessions__session_id__delete: async (app) => {
    const by = await addPerson(app)
    const { session_id } = await openBrowser(app, by.username)
    return {
      path: `/sessions/${session_id}`,
      by,
      recorded: () => ({ action: 'session.ended', target: userTarget(by), details: { session_id } }),
    }
  },
  end_current_session_sessions_current_delete: async (app) => {
    const by = await addPerson(app)
    const { session_id } = by
    return {
      path: '/sessions/current',
      by,
      recorded: () => ({ action: 'session.ended', target: userTarget(by), details: { session_id } }),
    }
  },
}

const keys: Record<string, Prepare | Prepare[]> = {
  create_key_keys_post: async () => ({
    path: '/keys',
    body: { name: 'nightly', permissions: ['users:read'], expires_at: '2099-01-01T00:00:00.000Z' },
    recorded: ({ body: { key_id, prefix } }) => ({
      action: 'key.created',
      target: keyTarget(key_id),
      changes: {
        name: became('nightly'),
        prefix: became(prefix),
        permissions: became(['users:read']),
        expires_at: became('2099-01-01T00:00:00.000Z'),
      },
    }),
  }),
  update_key_keys__key_id__patch: async (app) => {
    const { key_id } = await newKey(app)
    return {
      path: `/keys/${key_id}`,
      body: { name: 'daily', permissions: ['users:read', 'groups:read'] },
      recorded: () => ({
        action: 'key.updated',
        target: { ...keyTarget(key_id), name: 'daily' },
        changes: { name: is('nightly', 'daily'), permissions: is(['users:read'], ['users:read', 'groups:read']) },
      }),
    }
  },
  rotate_key_keys__key_id__rotate_post: async (app) => {
    const { key_id, prefix } = await newKey(app)
    return {
      path: `/keys/${key_id}/rotate`,
      recorded: ({ body }) => ({
        action: 'key.rotated',
        target: keyTarget(key_id),
        changes: { key: 'changed', prefix: is(prefix, body.prefix) },
      }),
    }
  },
  revoke_key_keys__key_id__delete: async (app) => {
    const { key_id, prefix } = await newKey(app)
    return {
      path: `/keys/${key_id}`,
      recorded: () => ({
        action: 'key.revoked',
        target: keyTarget(key_id),
        changes: { name: was('nightly'), prefix: was(prefix), permissions: was(['users:read']) },
      }),
    }
  },
  exchange_cli_login_cli_logins_token_post: async (app) => {
    const by = await addPerson(app, { role: 'admin' })
    return {
      path: '/cli-logins/token',
      by: 'nobody',
      body: await approvedLoopback(app, by, { permissions: ['users:read'] }),
      recorded: ({ body: { key_id, access_token, expires_at } }) => ({
        action: 'key.created',
        actor: userTarget(by),
        target: userTarget(by),
        changes: {
          name: became('laptop'),
          prefix: became(access_token.slice(0, 9)),
          permissions: became(['users:read']),
          expires_at: became(expires_at),
        },
        details: { key_id, name: 'laptop' },
      }),
    }
  },
  create_my_key_me_keys_post: async (app) => {
    const by = await addPerson(app, { role: 'admin' })
    return {
      path: '/me/keys',
      by,
      body: { name: 'laptop', permissions: ['users:read'] },
      recorded: ({ body: { key_id, prefix } }) => ({
        action: 'key.created',
        target: userTarget(by),
        details: { key_id, name: 'laptop' },
        changes: { name: became('laptop'), prefix: became(prefix), permissions: became(['users:read']) },
      }),
    }
  },
  revoke_my_key_me_keys__key_id__delete: async (app) => {
    const by = await addPerson(app)
    const { key_id, prefix } = (await by.call('POST', '/me/keys', { body: { name: 'laptop' } })).body
    return {
      path: `/me/keys/${key_id}`,
      by,
      recorded: () => ({
        action: 'key.revoked',
        target: userTarget(by),
        details: { key_id, name: 'laptop' },
        changes: { name: was('laptop'), prefix: was(prefix), permissions: was([]) },
      }),
    }
  },
  create_user_key_users__user_id__keys_post: async (app) => {
    const account = await newUser(app, { kind: 'service' })
    return {
      path: `/users/${account.user_id}/keys`,
      body: { name: 'nightly', permissions: ['users:read'] },
      recorded: ({ body: { key_id, prefix } }) => ({
        action: 'key.created',
        target: userTarget(account),
        details: { key_id, name: 'nightly' },
        changes: { name: became('nightly'), prefix: became(prefix), permissions: became(['users:read']) },
      }),
    }
  },
  revoke_user_key_users__user_id__keys__key_id__delete: async (app) => {
    const account = await newUser(app, { kind: 'service' })
    const keys = `/users/${account.user_id}/keys`
    const { key_id, prefix } = (await app.call('POST', keys, { body: { name: 'nightly' } })).body
    return {
      path: `${keys}/${key_id}`,
      recorded: () => ({
        action: 'key.revoked',
        target: userTarget(account),
        details: { key_id, name: 'nightly' },
        changes: { name: was('nightly'), prefix: was(prefix), permissions: was([]) },
      }),
    }
  },
  revoke_token_revoke_post: [
    async (app) => {
      const { key_id, key, prefix } = await newKey(app)
      return {
        path: '/revoke',
        body: { token: key },
        recorded: () => ({
          action: 'key.revoked',
          target: keyTarget(key_id),
          changes: { name: was('nightly'), prefix: was(prefix), permissions: was(['users:read']) },
        }),
      }
    },
    async (app) => {
      const person = await addPerson(app)
      const { session_id } = person
      return {
        path: '/revoke',
        body: { token: /rollbook=([^;]+)/.exec(person.cookie)?.[1] },
        recorded: () => ({ action: 'session.ended', target: userTarget(person), details: { session_id } }),
      }
    },
    async (app) => {
      const by = await addPerson(app)
      const { access_token: token } = (await by.call('POST', '/token')).body
      const { jti } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
      return {
        path: '/revoke',
        body: { token },
        by,
        recorded: () => ({ action: 'token.revoked', target: userTarget(by), details: { jti } }),
      }
    },
  ],
  rotate_signing_key_signing_keys_rotate_post: [
    async () => ({
      path: '/signing-keys/rotate',
      recorded: ({ body: { kid } }) => ({
        action: 'signing_key.rotated',
        target: { kind: 'signing_key', id: kid, name: undefined },
      }),
    }),
    async (app) => {
      const before = (await app.call('GET', '/signing-keys')).body as { kid: string }[]
      return {
        path: '/signing-keys/rotate',
        body: { revoke_previous: true },
        recorded: ({ body: { kid } }) => ({
          action: 'signing_key.rotated',
          target: { kind: 'signing_key', id: kid, name: undefined },
          details: { revoked: before.map((one) => one.kid) },
        }),
      }
    },
  ],
}

const hook = {
  url: 'https://receiver.example/hooks?token=not-for-everybody',
  description: 'CRM',
  event_types: ['user.*'],
}
const shownUrl = 'https://receiver.example/hooks?…'
const hookTarget = (endpoint_id: string) => ({ kind: 'webhook', id: endpoint_id, name: 'receiver.example' })

async function newHook(app: Started): Promise<string> {
  const response = await app.call('POST', '/webhooks', { body: hook })
  assert.equal(response.status, 201, response.text)
  return response.body.endpoint_id
}

const wholeHook = (side: (value: unknown) => unknown) => ({
  url: side(shownUrl),
  description: side('CRM'),
  event_types: side(['user.*']),
  active: side(true),
})

type Organization = { organization_id: string; name: string }
let organizationsSoFar = 0
const newOrganizationName = () => `Acme ${++organizationsSoFar}`
const organizationTarget = ({ organization_id, name }: Organization) => ({
  kind: 'organization',
  id: organization_id,
  name,
})
const wholeOrganization = (name: string, side: (value: unknown) => unknown) => ({
  name: side(name),
  active: side(true),
})

async function newOrganization(app: Started): Promise<Organization> {
  const response = await app.call('POST', '/organizations', { body: { name: newOrganizationName() } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

const domainsOf = ({ organization_id }: Organization) => `/organizations/${organization_id}/domains`

const organizations: Record<string, Prepare | Prepare[]> = {
  create_organization_organizations_post: async () => {
    const name = newOrganizationName()
    return {
      path: '/organizations',
      body: { name },
      recorded: ({ body }) => ({
        action: 'organization.created',
        target: organizationTarget(body),
        changes: wholeOrganization(name, became),
      }),
    }
  },
  update_organization_organizations__organization_id__patch: async (app) => {
    const organization = await newOrganization(app)
    return {
      path: `/organizations/${organization.organization_id}`,
      body: { active: false, second_factor: 'required' },
      recorded: () => ({
        action: 'organization.updated',
        target: organizationTarget(organization),
        changes: { active: is(true, false), second_factor: became('required') },
      }),
    }
  },
  add_organization_domain_organizations__organization_id__domains_post: [
    async (app) => {
      const organization = await newOrganization(app)
      return {
        path: domainsOf(organization),
        body: { domain: 'acme.example' },
        recorded: () => ({
          action: 'organization.domain_added',
          target: organizationTarget(organization),
          details: { domain: 'acme.example' },
        }),
      }
    },
    async (app) => {
      const organization = await newOrganization(app)
      return {
        path: domainsOf(organization),
        body: { domain: 'stated.example', verified: true },
        recorded: () => ({
          action: 'organization.domain_verified',
          target: organizationTarget(organization),
          details: { domain: 'stated.example', by: 'statement' },
        }),
      }
    },
  ],
  verify_organization_domain_organizations__organization_id__domains__domain__verify_post: async (app) => {
    const organization = await newOrganization(app)
    await app.call('POST', domainsOf(organization), { body: { domain: 'proved.example' } })
    return {
      path: `${domainsOf(organization)}/proved.example/verify`,
      recorded: () => ({
        action: 'organization.domain_verified',
        target: organizationTarget(organization),
        details: { domain: 'proved.example', by: 'dns' },
      }),
    }
  },
  remove_organization_domain_organizations__organization_id__domains__domain__delete: async (app) => {
    const organization = await newOrganization(app)
    await app.call('POST', domainsOf(organization), { body: { domain: 'acme.example' } })
    return {
      path: `${domainsOf(organization)}/acme.example`,
      recorded: () => ({
        action: 'organization.domain_removed',
        target: organizationTarget(organization),
        details: { domain: 'acme.example', verified: false },
      }),
    }
  },
  create_organization_setup_link_organizations__organization_id__setup_links_post: async (app) => {
    const organization = await newOrganization(app)
    const features = ['domains', 'provisioning']
    return {
      path: `/organizations/${organization.organization_id}/setup-links`,
      body: { features },
      recorded: ({ body: { setup_link_id, expires_at } }) => ({
        action: 'setup_link.created',
        target: { kind: 'setup_link', id: setup_link_id, name: organization.name },
        details: { features, expires_at },
      }),
    }
  },
  revoke_organization_setup_link_organizations__organization_id__setup_links__setup_link_id__delete: async (app) => {
    const organization = await newOrganization(app)
    const path = `/organizations/${organization.organization_id}/setup-links`
    const { setup_link_id } = (await app.call('POST', path, { body: { features: ['connection'] } })).body
    return {
      path: `${path}/${setup_link_id}`,
      recorded: () => ({
        action: 'setup_link.revoked',
        target: { kind: 'setup_link', id: setup_link_id, name: organization.name },
      }),
    }
  },
  delete_organization_organizations__organization_id__delete: async (app) => {
    const organization = await newOrganization(app)
    return {
      path: `/organizations/${organization.organization_id}`,
      recorded: () => ({
        action: 'organization.deleted',
        target: organizationTarget(organization),
        changes: wholeOrganization(organization.name, was),
      }),
    }
  },
}

const groupMembers = { description: 'Answers', external_id: null, role: 'user' }
const groupTarget = ({ group_id, name }: Group) => ({ kind: 'group', id: group_id, name })
const wholeGroup = (name: string, side: (value: unknown) => unknown) => ({
  name: side(name),
  description: side('Answers'),
  role: side('user'),
})

type Group = { group_id: string; name: string }
let groupsSoFar = 0
const newGroupName = () => `Support ${++groupsSoFar}`

async function newGroup(app: Started): Promise<Group> {
  const response = await app.call('POST', '/groups', { body: { ...groupMembers, name: newGroupName() } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

async function newMembership(app: Started): Promise<{ group: Group; user: User }> {
  return { group: await newGroup(app), user: await newUser(app) }
}

const recordedMembership = (
  action: string,
  { group, user: { user_id, username } }: Awaited<ReturnType<typeof newMembership>>,
) => ({
  action,
  target: { kind: 'user', id: user_id, name: username },
  details: { group_id: group.group_id, group: group.name },
})

const groups: Record<string, Prepare | Prepare[]> = {
  create_group_groups_post: async () => {
    const name = newGroupName()
    return {
      path: '/groups',
      body: { ...groupMembers, name },
      recorded: ({ body }) => ({
        action: 'group.created',
        target: groupTarget(body),
        changes: wholeGroup(name, became),
      }),
    }
  },
  update_group_groups__group_id__patch: async (app) => {
    const group = await newGroup(app)
    return {
      path: `/groups/${group.group_id}`,
      body: { role: null, description: 'Helps' },
      recorded: () => ({
        action: 'group.updated',
        target: groupTarget(group),
        changes: { description: is('Answers', 'Helps'), role: was('user') },
      }),
    }
  },
  delete_group_groups__group_id__delete: async (app) => {
    const group = await newGroup(app)
    return {
      path: `/groups/${group.group_id}`,
      recorded: () => ({
        action: 'group.deleted',
        target: groupTarget(group),
        changes: wholeGroup(group.name, was),
      }),
    }
  },
  change_group_members_groups__group_id__members_post: async (app) => {
    const membership = await newMembership(app)
    return {
      path: `/groups/${membership.group.group_id}/members`,
      body: { add: [membership.user.user_id] },
      recorded: () => recordedMembership('group.member_added', membership),
    }
  },
  add_group_member_groups__group_id__members__user_id__put: async (app) => {
    const membership = await newMembership(app)
    return {
      path: `/groups/${membership.group.group_id}/members/${membership.user.user_id}`,
      recorded: () => recordedMembership('group.member_added', membership),
    }
  },
  remove_group_member_groups__group_id__members__user_id__delete: async (app) => {
    const membership = await newMembership(app)
    const path = `/groups/${membership.group.group_id}/members/${membership.user.user_id}`
    assert.equal((await app.call('PUT', path)).status, 200)
    return { path, recorded: () => recordedMembership('group.member_removed', membership) }
  },
}

const webhooks: Record<string, Prepare | Prepare[]> = {
  create_webhook_webhooks_post: async () => ({
    path: '/webhooks',
    body: hook,
    recorded: ({ body: { endpoint_id } }) => ({
      action: 'webhook.created',
      target: hookTarget(endpoint_id),
      changes: wholeHook(became),
    }),
  }),
  update_webhook_webhooks__endpoint_id__patch: async (app) => {
    const endpoint_id = await newHook(app)
    return {
      path: `/webhooks/${endpoint_id}`,
      body: { active: false, event_types: null, url: 'https://receiver.example/hooks?token=another' },
      recorded: () => ({
        action: 'webhook.updated',
        target: hookTarget(endpoint_id),
        changes: { active: is(true, false), event_types: was(['user.*']), url: 'changed' },
      }),
    }
  },
  delete_webhook_webhooks__endpoint_id__delete: async (app) => {
    const endpoint_id = await newHook(app)
    return {
      path: `/webhooks/${endpoint_id}`,
      recorded: () => ({
        action: 'webhook.deleted',
        target: hookTarget(endpoint_id),
        changes: wholeHook(was),
      }),
    }
  },
  rotate_webhook_secret_webhooks__endpoint_id__rotate_secret_post: async (app) => {
    const endpoint_id = await newHook(app)
    return {
      path: `/webhooks/${endpoint_id}/rotate-secret`,
      recorded: () => ({
        action: 'webhook.secret_rotated',
        target: hookTarget(endpoint_id),
        changes: { secret: 'changed' },
      }),
    }
  },
  test_webhook_webhooks__endpoint_id__test_post: async (app) => {
    const endpoint_id = await newHook(app)
    return {
      path: `/webhooks/${endpoint_id}/test`,
      recorded: ({ body: { delivery_id } }) => ({
        action: 'webhook.tested',
        target: hookTarget(endpoint_id),
        details: { delivery_id },
      }),
    }
  },
  redeliver_webhooks__endpoint_id__deliveries__delivery_id__redeliver_post: async (app) => {
    const endpoint_id = await newHook(app)
    const { delivery_id } = (await app.call('POST', `/webhooks/${endpoint_id}/test`)).body
    // As after the last attempt: what is under way cannot be repeated.
    await app.runSql(`UPDATE webhook_deliveries SET status = 'dead' WHERE delivery_id = '${delivery_id}'`)
    return {
      path: `/webhooks/${endpoint_id}/deliveries/${delivery_id}/redeliver`,
      recorded: () => ({
        action: 'delivery.repeated',
        target: hookTarget(endpoint_id),
        details: { delivery_id, event_id: delivery_id, type: 'webhook.test' },
      }),
    }
  },
}

const newConnection = async (app: Started, name: string) => {
  const response = await app.call('POST', '/provisioning', { body: { name } })
  assert.equal(response.status, 201, response.text)
  return response.body as { connection_id: string; name: string; key_id: string }
}

const provisioning: Record<string, Prepare> = {
  create_connection_provisioning_post: async () => ({
    path: '/provisioning',
    body: { name: 'Okta', profile: 'okta' },
    recorded: ({ body: { connection_id, key_id, key } }) => ({
      action: 'connection.created',
      target: { kind: 'connection', id: connection_id, name: 'Okta' },
      changes: { name: became('Okta'), profile: became('okta') },
      details: { key_id, prefix: key.slice(0, 9), expires_at: null },
    }),
  }),
  update_connection_provisioning__connection_id__patch: async (app) => {
    const { connection_id } = await newConnection(app, 'Entra')
    return {
      path: `/provisioning/${connection_id}`,
      body: { profile: 'entra' },
      recorded: () => ({
        action: 'connection.updated',
        target: { kind: 'connection', id: connection_id, name: 'Entra' },
        changes: { profile: is('strict', 'entra') },
      }),
    }
  },
  delete_connection_provisioning__connection_id__delete: async (app) => {
    const { connection_id, key_id } = await newConnection(app, 'Leaving')
    return {
      path: `/provisioning/${connection_id}`,
      recorded: () => ({
        action: 'connection.deleted',
        target: { kind: 'connection', id: connection_id, name: 'Leaving' },
        changes: { name: was('Leaving'), profile: was('strict') },
        details: { released: 0, revoked: [key_id] },
      }),
    }
  },
}

const company = { kind: 'oidc', issuer: 'https://id.example', client_id: 'rollbook' }
const newCompany = async (app: Started, name: string) => {
  const response = await app.call('POST', '/connections', { body: { ...company, name } })
  assert.equal(response.status, 201, response.text)
  return response.body as { connection_id: string }
}
/** What every connection has from the start. */
const companyMembers = {
  kind: 'oidc',
  domains: '[]',
  passwords: 'allowed',
  password_exceptions: '[]',
  groups: '{}',
  group_sync: 'creation',
  attribute_claims: '{}',
  attribute_sync: 'creation',
  expires_at_sync: 'creation',
  sign_out_there: false,
  preset: 'generic',
  active: true,
  position: 0,
  issuer: 'https://id.example',
  client_id: 'rollbook',
  default_role: 'user',
  role_sync: 'creation',
  missing_claims: 'keep',
  second_factor: 'own',
  read_userinfo: 'auto',
  token_endpoint_auth_method: 'auto',
  scopes: '["openid","profile","email"]',
  trusted_domains: '[]',
  provisioning_domains: '[]',
  roles: '{}',
  acr_values: '[]',
}
const wholeCompany = (side: (value: unknown) => unknown, name: string) =>
  Object.fromEntries(Object.entries({ ...companyMembers, name }).map(([member, value]) => [member, side(value)]))
const companyTarget = (id: string, name: string) => ({ kind: 'sign_in_connection', id, name })

let identityCount = 0
/** Written by hand, as a sign-in leaves it. */
async function newIdentity(app: Started, { user_id }: { user_id: string }) {
  identityCount += 1
  const identity_id = `019a9f3e-0000-7000-8000-${String(identityCount).padStart(12, '0')}`
  const { connection_id } = await newCompany(app, `Company ${identity_id}`)
  await app.runSql(`
    INSERT INTO identities (identity_id, connection_id, subject, user_id, linked_by, created_at, last_used_at)
    VALUES ('${identity_id}', '${connection_id}', '${identity_id}', '${user_id}', 'user', '2026-01-01', '2026-01-01')`)
  return { connection_id, identity_id }
}

const connections: Record<string, Prepare> = {
  create_sign_in_connection_connections_post: async () => ({
    path: '/connections',
    body: { ...company, name: 'Example Inc.' },
    recorded: ({ body: { connection_id } }) => ({
      action: 'sign_in_connection.created',
      target: companyTarget(connection_id, 'Example Inc.'),
      changes: wholeCompany(became, 'Example Inc.'),
    }),
  }),
  update_sign_in_connection_connections__connection_id__patch: async (app) => {
    const { connection_id } = await newCompany(app, 'Changing')
    return {
      path: `/connections/${connection_id}`,
      body: { active: false, client_secret: 'another secret' },
      recorded: () => ({
        action: 'sign_in_connection.updated',
        target: companyTarget(connection_id, 'Changing'),
        changes: { active: is(true, false), client_secret: 'changed' },
        details: { unlinked: 0, sessions_ended: 0 },
      }),
    }
  },
  delete_sign_in_connection_connections__connection_id__delete: async (app) => {
    const { connection_id } = await newCompany(app, 'Leaving')
    return {
      path: `/connections/${connection_id}`,
      recorded: () => ({
        action: 'sign_in_connection.deleted',
        target: companyTarget(connection_id, 'Leaving'),
        changes: wholeCompany(was, 'Leaving'),
        details: { unlinked: 0, sessions_ended: 0 },
      }),
    }
  },
  sync_sign_in_connection_connections__connection_id__sync_post: async (app) => {
    const directory = { kind: 'ldap', name: 'Directory', servers: ['ldaps://127.0.0.1:1'], user_base: 'dc=example' }
    const { connection_id } = (await app.call('POST', '/connections', { body: directory })).body
    return {
      path: `/connections/${connection_id}/sync`,
      recorded: ({ body: { job_id } }) => ({
        action: 'sign_in_connection.sync_started',
        target: companyTarget(connection_id, 'Directory'),
        details: { import_id: job_id },
      }),
    }
  },
  link_user_identity_users__user_id__identities_post: async (app) => {
    const user = await newUser(app)
    const { connection_id } = await newCompany(app, 'Linking')
    return {
      path: `/users/${user.user_id}/identities`,
      body: { connection_id, subject: 'linked' },
      recorded: ({ body: { identity_id } }) => ({
        action: 'user.identity_linked',
        target: userTarget(user),
        details: { identity_id, connection_id, connection: 'Linking', subject: 'linked', linked_by: 'administrator' },
      }),
    }
  },
  remove_user_identities_users__user_id__identities_delete: async (app) => {
    const user = await newUser(app)
    return {
      path: `/users/${user.user_id}/identities`,
      recorded: () => ({ action: 'user.identities_removed', target: userTarget(user), details: { removed: 0 } }),
    }
  },
  remove_user_identity_users__user_id__identities__identity_id__delete: async (app) => {
    const user = await newUser(app)
    const { connection_id, identity_id } = await newIdentity(app, user)
    return {
      path: `/users/${user.user_id}/identities/${identity_id}`,
      recorded: () => ({
        action: 'user.identity_removed',
        target: userTarget(user),
        details: { identity_id, connection_id, connection: `Company ${identity_id}`, subject: identity_id },
      }),
    }
  },
  remove_my_identity_me_identities__identity_id__delete: async (app) => {
    const by = await addPerson(app)
    const { connection_id, identity_id } = await newIdentity(app, by)
    return {
      path: `/me/identities/${identity_id}`,
      by,
      recorded: () => ({
        action: 'user.identity_removed',
        target: userTarget(by),
        details: { identity_id, connection_id, connection: `Company ${identity_id}`, subject: identity_id },
      }),
    }
  },
  remove_my_identities_me_identities_delete: async (app) => {
    const by = await addPerson(app)
    return {
      path: '/me/identities',
      by,
      recorded: () => ({ action: 'user.identities_removed', target: userTarget(by), details: { removed: 0 } }),
    }
  },
}

const attributeSettings = {
  label: 'Department',
  type: 'string',
  required: false,
  unique: false,
  searchable: false,
  editable_by: 'admin',
  in_token: false,
  in_header: false,
}
let attributesSoFar = 0
const newAttributeName = () => `department_${++attributesSoFar}`

async function newAttribute(app: Started): Promise<string> {
  const name = newAttributeName()
  const response = await app.call('POST', '/attributes', { body: { name, label: 'Department', type: 'string' } })
  assert.equal(response.status, 201, response.text)
  return name
}

const attributeTarget = (name: string) => ({ kind: 'attribute', id: name, name: 'Department' })
const wholeAttribute = (side: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(attributeSettings).map(([member, value]) => [member, side(value)]))

const attributes: Record<string, Prepare | Prepare[]> = {
  create_attribute_attributes_post: async () => {
    const name = newAttributeName()
    return {
      path: '/attributes',
      body: { name, label: 'Department', type: 'string' },
      recorded: () => ({
        action: 'attribute.created',
        target: attributeTarget(name),
        changes: wholeAttribute(became),
      }),
    }
  },
  update_attribute_attributes__name__patch: async (app) => {
    const name = await newAttribute(app)
    return {
      path: `/attributes/${name}`,
      body: { searchable: true, max_length: 80 },
      recorded: () => ({
        action: 'attribute.updated',
        target: attributeTarget(name),
        changes: { searchable: is(false, true), max_length: became(80) },
      }),
    }
  },
  delete_attribute_attributes__name__delete: async (app) => {
    const name = await newAttribute(app)
    return {
      path: `/attributes/${name}`,
      recorded: () => ({
        action: 'attribute.deleted',
        target: attributeTarget(name),
        changes: wholeAttribute(was),
        details: { values_removed: 0 },
      }),
    }
  },
}

const unchangedPlan = {
  ...{ created: 0, updated: 0, deleted: 0, adopted: 0 },
  ...{ renamed: 0, released: 0, drifted: 0, unchanged: 0 },
}

const configuration: Record<string, Prepare | Prepare[]> = {
  apply_configuration_configuration_post: async () => ({
    path: '/configuration?source=4f2c1d7',
    body: { version: 1 },
    recorded: () => ({ action: 'configuration.applied', details: { source: '4f2c1d7', ...unchangedPlan } }),
  }),
}

const reviews: Record<string, Prepare | Prepare[]> = {
  create_review_reviews_post: async () => ({
    path: '/reviews',
    body: { name: 'Q4', due_at: '2099-01-01T00:00:00.000Z', filter: { q: 'of no user' } },
    recorded: ({ body }) => ({
      action: 'review.created',
      target: { kind: 'review', id: body.review_id, name: 'Q4' },
      details: { rows: 0, due_at: '2099-01-01T00:00:00.000Z' },
    }),
  }),
  update_review_reviews__review_id__patch: async (app) => {
    const { review_id } = await newReview(app)
    return {
      path: `/reviews/${review_id}`,
      body: { name: 'Q1' },
      recorded: () => ({
        action: 'review.updated',
        target: { kind: 'review', id: review_id, name: 'Q1' },
        changes: { name: { before: 'Q4', after: 'Q1' } },
      }),
    }
  },
  decide_review_rows_reviews__review_id__decisions_post: async (app) => {
    const { username } = await newUser(app, { role: 'admin' })
    const { review_id } = await newReview(app, { q: username })
    const { body } = await app.call('GET', `/reviews/${review_id}/rows`)
    const row_ids = [body[0].row_id]
    return {
      path: `/reviews/${review_id}/decisions`,
      body: { row_ids, decision: 'keep' },
      recorded: () => ({
        action: 'review.decided',
        target: { kind: 'review', id: review_id, name: 'Q4' },
        details: { decision: 'keep', rows: 1, row_ids },
      }),
    }
  },
}

async function newReview(app: Started, filter: object = { q: 'of no user' }): Promise<{ review_id: string }> {
  const response = await app.call('POST', '/reviews', { body: { name: 'Q4', due_at: '2099-01-01T00:00:00Z', filter } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

const branding: Record<string, Prepare | Prepare[]> = {
  replace_branding_branding_put: async () => ({
    path: '/branding',
    body: { name: 'Acme Reports', privacy_url: 'https://example.com/privacy' },
    recorded: () => ({
      action: 'branding.updated',
      target: { kind: 'branding', id: 'product', name: undefined },
      changes: { name: became('Acme Reports'), privacy_url: became('https://example.com/privacy') },
    }),
  }),
  replace_organization_branding_organizations__organization_id__branding_put: async (app) => {
    const { organization_id, name } = await newOrganization(app)
    return {
      path: `/organizations/${organization_id}/branding`,
      body: { accent_color: '#7a1f5c' },
      recorded: () => ({
        action: 'branding.updated',
        target: { kind: 'organization', id: organization_id, name },
        changes: { accent_color: became('#7a1f5c') },
      }),
    }
  },
  delete_organization_branding_organizations__organization_id__branding_delete: async (app) => {
    const { organization_id, name } = await newOrganization(app)
    const path = `/organizations/${organization_id}/branding`
    await app.call('PUT', path, { body: { accent_color: '#7a1f5c' } })
    return {
      path,
      recorded: () => ({
        action: 'branding.updated',
        target: { kind: 'organization', id: organization_id, name },
        changes: { accent_color: was('#7a1f5c') },
      }),
    }
  },
}

let rolesSoFar = 0
const newRoleName = () => `helper-${++rolesSoFar}`
const roleTarget = (role: string) => ({ kind: 'role', id: role, name: role })

async function newRole(app: Started): Promise<string> {
  const role = newRoleName()
  const response = await app.call('POST', '/roles', { body: { role, permissions: ['users:read'] } })
  assert.equal(response.status, 201, response.text)
  return role
}

const roles: Record<string, Prepare | Prepare[]> = {
  create_role_roles_post: async () => {
    const role = newRoleName()
    return {
      path: '/roles',
      body: { role, description: 'Helps', permissions: ['users:read'] },
      recorded: () => ({
        action: 'role.created',
        target: roleTarget(role),
        changes: { description: became('Helps'), permissions: became(['users:read']) },
      }),
    }
  },
  update_role_roles__role__patch: async (app) => {
    const role = await newRole(app)
    return {
      path: `/roles/${role}`,
      body: { permissions: [] },
      recorded: () => ({
        action: 'role.updated',
        target: roleTarget(role),
        changes: { permissions: is(['users:read'], []) },
      }),
    }
  },
  delete_role_roles__role__delete: async (app) => {
    const role = await newRole(app)
    return {
      path: `/roles/${role}`,
      recorded: () => ({
        action: 'role.deleted',
        target: roleTarget(role),
        changes: { permissions: was(['users:read']) },
      }),
    }
  },
  update_policies_policies_patch: async () => ({
    path: '/policies',
    body: { second_factor: { 'group:Board': 'required' } },
    recorded: () => ({
      action: 'policies.updated',
      target: { kind: 'policy', id: 'second_factor', name: undefined },
      changes: { second_factor: is('optional', { 'group:Board': 'required' }) },
    }),
  }),
  confirm_inactivity_inactivity_confirmation_post: async (app) => {
    const request = { actor: system, now: Date.now(), requestId: 'test' }
    await app.storage.change('inactivity.set_stop', { users: 12, active_users: 20 }, request)
    return {
      path: '/inactivity/confirmation',
      recorded: () => ({
        action: 'inactivity.confirmed',
        target: { kind: 'policy', id: 'inactivity', name: undefined },
        details: { users: 12, active_users: 20 },
      }),
    }
  },
}

export const auditTable: Record<string, Prepare | Prepare[]> = {
  ...users,
  ...own,
  ...keys,
  ...organizations,
  ...groups,
  ...provisioning,
  ...connections,
  ...attributes,
  ...branding,
  ...reviews,
  ...configuration,
  ...roles,
  ...webhooks,
  ...mailTable,
}

/** They need a token of the provider: company-sign-in/logout.test.ts looks at their records. */
export const calledByProviders: readonly string[] = [
  'take_backchannel_logout_connections__connection_id__backchannel_logout_post',
  'take_global_token_revocation_connections__connection_id__global_token_revocation_post',
]

/** Sent with POST, and they change nothing that is kept: a token is signed, a question is answered. */
export const changesNothing: Record<string, unknown> = {
  test_sign_in_connection_connections__connection_id__test_post: { claims: { sub: 'someone' } },
  issue_token_token_post: {},
  introspect_token_introspect_post: { token: 'nothing that was ever issued' },
  test_second_factor_policy_second_factor_policy_test_post: { policy: 'required' },
  // Options alone open nothing; what is done with them is recorded.
  begin_passkey_sign_in_sessions_passkey_options_post: {},
  begin_passkey_confirmation_sessions_current_reauthentication_passkey_options_post: {},
  // What is linked is recorded when the browser comes back.
  link_my_identity_me_identities_post: { connection_id: '019a0000-0000-7000-8000-000000000000' },
  preview_inactivity_inactivity_preview_post: {},
  preview_mail_mails_preview_post: { kind: 'invitation' },
  preview_branding_branding_preview_post: { branding: {} },
  // What the user decides about it is recorded.
  create_cli_login_cli_logins_post: { name: 'laptop' },
}
