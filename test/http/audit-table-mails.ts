/** How each operation on messages and links is recorded. */
import { randomUUID } from 'node:crypto'
import { createUser } from '../harness.ts'
import { createPerson, openBrowser } from '../people.ts'
import type { Prepare } from './audit-table.ts'

const address = 'postmaster@example.com'

const userTarget = (user_id: unknown, username: unknown) => ({
  kind: 'user',
  id: String(user_id),
  name: String(username),
})

export const mailTable: Record<string, Prepare> = {
  send_test_mail_mails_test_post: async () => ({
    path: '/mails/test',
    body: { address },
    recorded: ({ body: { mail_id } }) => ({
      action: 'mail.tested',
      target: { kind: 'mail', id: mail_id, name: undefined },
      details: { address },
    }),
  }),
  retry_mail_mails__mail_id__retry_post: async (app) => {
    const { mail_id } = (await app.call('POST', '/mails/test', { body: { address } })).body
    // As after it was given up: what waits cannot be repeated.
    await app.runSql(`UPDATE mails SET status = 'failed' WHERE mail_id = '${mail_id}'`)
    return {
      path: `/mails/${mail_id}/retry`,
      recorded: () => ({
        action: 'mail.repeated',
        target: { kind: 'mail', id: mail_id, name: undefined },
        details: { mail_id, kind: 'test' },
      }),
    }
  },
  release_mails_mails_release_post: async () => ({
    path: '/mails/release',
    recorded: () => ({ action: 'mails.released', details: { released: 0 } }),
  }),
  discard_mails_mails_discard_post: async () => ({
    path: '/mails/discard',
    recorded: () => ({ action: 'mails.discarded', details: { discarded: 0 } }),
  }),
  verify_my_email_me_email_verification_post: async (app) => {
    const { user_id, username } = await createPerson(app, { email: `verify-${Date.now()}@example.com` })
    const browser = await openBrowser(app, username)
    return {
      path: '/me/email-verification',
      by: { ...browser, user_id, username },
      recorded: ({ body: { expires_at } }) => ({
        action: 'verification.created',
        target: userTarget(user_id, username),
        details: { expires_at },
      }),
    }
  },
  request_password_reset_password_resets_post: async () => ({
    path: '/password-resets',
    body: { username: 'nobody' },
    by: 'nobody' as const,
    // It names no user: the record must not reveal whether the user exists either.
    recorded: () => ({
      action: 'password_reset.requested',
      actor: { kind: 'anonymous', id: '', name: undefined },
    }),
  }),
  decide_access_request_access_requests__request_id__decision_post: async (app) => {
    const request_id = randomUUID()
    await app.runSql(`INSERT INTO access_requests (request_id, state, email, email_key, created_at, expires_at, delete_at)
      VALUES ('${request_id}', 'waiting', 'ada@example.com', 'ada@example.com', '2026-11-20T00:00:00.000Z',
        '9999-01-01T00:00:00.000Z', '9999-01-01T00:00:00.000Z')`)
    return {
      path: `/access-requests/${request_id}/decision`,
      body: { decision: 'decline' },
      recorded: () => ({
        action: 'access_request.declined',
        target: { kind: 'access_request', id: request_id, name: undefined },
      }),
    }
  },
  request_email_code_sessions_email_code_post: async () => ({
    path: '/sessions/email-code',
    body: { username: 'nobody' },
    by: 'nobody' as const,
    recorded: () => ({ action: 'email_code.requested', actor: { kind: 'anonymous', id: '', name: undefined } }),
  }),
  invite_user_users__user_id__invitation_post: async (app) => {
    const { user_id, username } = await createUser(app)
    return {
      path: `/users/${user_id}/invitation`,
      body: {},
      recorded: ({ body: { expires_at } }) => ({
        action: 'invitation.created',
        target: userTarget(user_id, username),
        details: { expires_at, sent: false, shown: true },
      }),
    }
  },
  withdraw_invitation_users__user_id__invitation_delete: async (app) => {
    const { user_id, username } = await createUser(app)
    await app.call('POST', `/users/${user_id}/invitation`)
    return {
      path: `/users/${user_id}/invitation`,
      recorded: () => ({ action: 'invitation.withdrawn', target: userTarget(user_id, username) }),
    }
  },
  create_password_reset_users__user_id__password_reset_post: async (app) => {
    const { user_id, username } = await createUser(app)
    return {
      path: `/users/${user_id}/password-reset`,
      body: {},
      recorded: ({ body: { expires_at } }) => ({
        action: 'password_reset.created',
        target: userTarget(user_id, username),
        details: { expires_at, sent: false, shown: true },
      }),
    }
  },
}
