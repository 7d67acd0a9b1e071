import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { system } from '../../../core/actor.ts'
import { memberFault, validationFailed } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import { list as listAttributes, readValues } from '../../../directory/attributes/service.ts'
import { verificationSeconds } from '../../../directory/links/service.ts'
import * as users from '../../../directory/users/service.ts'
import { checkUserInput } from '../../../directory/users/service.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { dryRun } from '../../../http/endpoint/response-parts.ts'
import { etagOf, expectedVersion, refuseOtherVersion } from '../../../http/request/conditional.ts'
import { newToken, tokenHashOf } from '../../../record/mails/service.ts'
import { callerOf, personOf } from '../../credentials/sessions/service.ts'
import { requestAt } from '../../sign-in/sign-in/service.ts'
import * as answers from './answers.ts'
import { type MeNeeds, meOf } from './me-of.ts'
import { changeOwnPassword, confirm, isPasswordEnough, type OwnPasswordNeeds } from './password.ts'
import type { ChangeOwnPassword, UpdateMe } from './schema.ts'

type Needs = OwnPasswordNeeds & MeNeeds

export function routes(app: FastifyInstance, needs: Needs): void {
  getMe(app, needs)
  updateMe(app, needs)
  changeMyPassword(app, needs)
  verifyMyEmail(app, needs)
}

function getMe(app: FastifyInstance, needs: Needs): void {
  const { contextOf } = needs
  app.route({
    ...operation({
      name: 'get_me',
      method: 'GET',
      path: '/me',
      access: 'user',
      scope: 'global',
      during: ['add_factor', 'change_password'],
      byPersonalKey: true,
      description: answers.getDescription,
      returns: 'Me',
      etag: 'user',
      responses: { 200: 'The calling user.' },
    }),
    async handler(request, reply) {
      const found = await users.get(contextOf(request), callerOf(request).user_id)
      const etag = etagOf(found.version)
      // Never 304: the permissions change with the groups, without a new version of the user.
      refuseOtherVersion(request, etag)
      reply.header('etag', etag)
      return meOf(needs, request, found)
    },
  })
}

function updateMe(app: FastifyInstance, needs: Needs): void {
  const { config, cookies, storage, makeChange } = needs
  app.route({
    ...operation({
      name: 'update_me',
      method: 'PATCH',
      path: '/me',
      access: 'user',
      scope: 'global',
      recent: async (request) =>
        (request.body as UpdateMe).email !== undefined && !(await isPasswordEnough(storage.db, personOf(request))),
      description: answers.updateDescription,
      body: 'UpdateMe',
      returns: 'Me',
      etag: 'user',
      responses: { 200: 'The changed user. In a dry run: the user as it would be, without an ETag.' },
      problems: [
        'current_password_wrong',
        'password_refused',
        'email_taken',
        'managed_elsewhere',
        'last_password_admin',
        'too_many_attempts',
        'too_many_mails',
      ],
      example: { first_name: 'Augusta' },
    }),
    async handler(request, reply) {
      const { current_password, ...body } = request.body as UpdateMe
      const asking = askingBrowser(request)
      const { result, dryRun } = await makeChange(request, reply, 'me.update', {
        async input() {
          const expected = expectedVersion(request, config)
          const input = checkUserInput(body, storage.rules.roles, 'user')
          const { email, email_key, ...others } = input
          // A form may send everything it shows: the same address is not a change.
          const isSame = email === undefined || email === (await findCaller(needs, request))?.email
          // The owner of the address can often take over the account, so an unattended browser must not be enough to change it.
          if (!isSame && current_password === undefined) throw missingPassword()
          const verified_hash = current_password && (await confirm(needs, request, current_password))
          if ((!isSame && email !== null) || (await changesUnique(needs, request, body))) await countTry(needs, request)
          if (verified_hash === undefined) return { input: others, expected }
          return { input, expected, verified_hash, browser_hash: asking?.hash }
        },
      })
      if (!dryRun) reply.header('etag', etagOf(result.version))
      if (!dryRun && result.isLinkSent) remember(cookies, reply, asking)
      return meOf(needs, request, result)
    },
  })
}

function changeMyPassword(app: FastifyInstance, needs: OwnPasswordNeeds): void {
  app.route({
    ...operation({
      name: 'change_my_password',
      method: 'POST',
      path: '/me/password',
      access: 'user',
      scope: 'global',
      recent: async (request) => !(await isPasswordEnough(needs.storage.db, personOf(request))),
      during: ['change_password'],
      description: answers.changePasswordDescription,
      body: 'ChangeOwnPassword',
      returns: 'ConfirmationOfPassword',
      responses: {
        200: { description: 'The password was changed. In a dry run `changed` is false.', headers: dryRun },
      },
      problems: ['current_password_wrong', 'password_refused', 'too_many_attempts'],
      example: { current_password: 'analytical engine no. 1', new_password: 'difference engine no. 2' },
    }),
    handler: (request, reply) => changeOwnPassword(needs, request, reply, request.body as ChangeOwnPassword),
  })
}

function verifyMyEmail(app: FastifyInstance, { cookies, makeChange }: OwnPasswordNeeds): void {
  app.route({
    ...operation({
      name: 'verify_my_email',
      method: 'POST',
      path: '/me/email-verification',
      access: 'user',
      scope: 'global',
      description: answers.verifyEmailDescription,
      returns: 'SentVerification',
      responses: {
        200: { description: 'Dry run: what would be sent.' },
        202: { description: 'The message is on its way.' },
      },
      problems: ['mail_not_configured', 'email_missing', 'too_many_mails'],
    }),
    async handler(request, reply) {
      const asking = askingBrowser(request)
      const input = () => ({ browser_hash: asking?.hash })
      const { result, dryRun } = await makeChange(request, reply, 'me.verify_email', { input })
      if (!dryRun) reply.code(202)
      // The link of an earlier response belongs to the secret that came with it.
      if (!dryRun && !reply.hasHeader('idempotency-replayed')) remember(cookies, reply, asking)
      return result
    },
  })
}

function findCaller({ storage }: OwnPasswordNeeds, request: FastifyRequest): Promise<users.UserRow | undefined> {
  return users.findById(storage.db, scopeOf(system), personOf(request).user_id)
}

/** Whether the caller would get another value that no other user may have. */
async function changesUnique(
  needs: OwnPasswordNeeds,
  request: FastifyRequest,
  { attributes = {} }: Pick<UpdateMe, 'attributes'>,
): Promise<boolean> {
  if (Object.keys(attributes).length === 0) return false
  const names = (await listAttributes(needs.storage)).flatMap(({ name, unique }) => (unique ? [name] : []))
  const uniqueNames = names.filter((name) => (attributes[name] ?? null) !== null)
  if (uniqueNames.length === 0) return false
  const own = readValues((await findCaller(needs, request))?.attributes ?? '{}')
  return uniqueNames.some((name) => JSON.stringify(attributes[name]) !== JSON.stringify(own[name]))
}

/** Also for a dry run: its response would reveal the same. */
async function countTry({ storage }: OwnPasswordNeeds, request: FastifyRequest): Promise<void> {
  const { user_id } = personOf(request)
  await storage.change(
    'throttles.count_unique_try',
    { user_id },
    requestAt({ now: request.now, requestId: request.id }),
  )
}

type Asking = { secret: string; hash: string }

/** A secret for the browser, which can then confirm the address after its session has ended. Scripts get none. */
function askingBrowser({ credential }: FastifyRequest): Asking | undefined {
  if (credential?.kind !== 'session') return undefined
  const secret = newToken()
  return { secret, hash: tokenHashOf(secret) }
}

function remember({ address }: OwnPasswordNeeds['cookies'], reply: FastifyReply, asking: Asking | undefined): void {
  if (asking !== undefined) reply.header('set-cookie', address.set(asking.secret, verificationSeconds))
}

function missingPassword() {
  const detail = 'To change the email address, also send current_password.'
  return validationFailed([memberFault('current_password', 'missing_member', detail)])
}
