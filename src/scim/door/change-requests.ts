/** Makes the changes that SCIM requests, or operations of a bulk request, ask for. */
import type { FastifyRequest } from 'fastify'
import { eraseSoon } from '../../administration/deleted-users/service.ts'
import type { Hasher } from '../../directory/passwords/service.ts'
import * as users from '../../directory/users/service.ts'
import { type PasswordNames, passwordHashFor } from '../../directory/users/service.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import type { CommandInput, CommandName, CommandResult } from '../../store/storage/registry.ts'
import { userFromScim } from '../mapping/user.ts'
import { acceptResource } from '../patch/apply.ts'
import { readOperations } from '../patch/operations.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Habits } from '../protocol/profiles.ts'
import { groupDefinition, userDefinition } from '../schemas/definition.ts'
import { passwordIn } from './password.ts'
import type { Repeats } from './repeats.ts'
import { isDryRun, profileOf } from './request.ts'

export type Needs = Pick<
  HttpLayer,
  'config' | 'storage' | 'log' | 'contextOf' | 'originOf' | 'recheck' | 'links' | 'idempotency'
> & { hasher: Hasher }

/** The change that a request, or one operation of a bulk request, asks for. */
export type Asked = { readonly body: unknown; readonly ifMatch: string | undefined; readonly habits: Habits }

type CreatedGroup = {
  promisedId?: string
  /** The URL of the SCIM endpoint, if the outcome should include the whole group. */
  base?: string
}

/** The outcome of a change. Users are always included; a group is read again for the response unless it is included. */
export type Changed = { readonly id: string; readonly version: string; readonly resource?: JsonObject }

export function createChanges(needs: Needs, { repeats, base }: { repeats: Repeats; base: () => string }) {
  const { config, storage } = needs

  async function change<Name extends CommandName>(
    request: FastifyRequest,
    name: Name,
    makeInput: () => CommandInput<Name> | Promise<CommandInput<Name>>,
  ): Promise<CommandResult<Name>> {
    return repeats.change(request, async (responseKey) => {
      const input = await makeInput()
      // Hashing can be slow, so the caller may have lost the permission since.
      await needs.recheck(request)
      const { actor, now, id: requestId } = request
      const dryRun = isDryRun(request)
      const origin = needs.originOf(request)
      return storage.change(name, input, { actor, now, requestId, origin, dryRun, ...(responseKey && { responseKey }) })
    })
  }

  async function hashed(
    request: FastifyRequest,
    password: string | undefined,
    words: PasswordNames,
  ): Promise<{ password_hash?: string }> {
    if (password === undefined) return {}
    const body = { ...words, password }
    const { productName } = config
    return passwordHashFor(needs.hasher, { body, known: {}, productName, dryRun: isDryRun(request) })
  }

  /** Returns the words that a new password must not consist of. */
  async function namesOf(request: FastifyRequest, user_id: string): Promise<PasswordNames> {
    const { username, email, first_name, last_name } = JSON.parse(
      (await users.get(needs.contextOf(request), user_id)).document,
    )
    return { username, email, first_name, last_name }
  }

  return {
    async createUser(request: FastifyRequest, { body, habits }: Asked, promisedId?: string): Promise<Changed> {
      const { resource, ignored } = acceptResource(body, userDefinition, habits)
      const { members } = userFromScim(resource)
      return change(request, 'scim.create_user', async () => ({
        ...(await hashed(request, members.password, members)),
        resource,
        ignored,
        base: base(),
        ...(promisedId !== undefined && { promisedId }),
      }))
    },
    async replaceUser(request: FastifyRequest, user_id: string, { body, habits, ifMatch }: Asked): Promise<Changed> {
      const { resource, ignored } = acceptResource(body, userDefinition, habits)
      const { members } = userFromScim(resource)
      return change(request, 'scim.replace_user', async () => {
        const password = await hashed(request, members.password, members)
        return { ...password, user_id, resource, ignored, ifMatch, base: base() }
      })
    },
    async patchUser(request: FastifyRequest, user_id: string, { body, habits, ifMatch }: Asked): Promise<Changed> {
      const operations = readOperations(body, habits)
      const password = passwordIn(operations)
      return change(request, 'scim.patch_user', async () => {
        const words = password === undefined ? {} : await namesOf(request, user_id)
        const hash = await hashed(request, password, words)
        return { ...hash, user_id, operations, profile: profileOf(request), ifMatch, base: base() }
      })
    },
    async deleteUser(request: FastifyRequest, user_id: string, ifMatch: string | undefined): Promise<void> {
      const graceDays = config.deletionGraceDays
      const { restorable_until } = await change(request, 'scim.delete_user', () => ({ user_id, ifMatch, graceDays }))
      if (restorable_until === null && !isDryRun(request)) await eraseSoon(needs, user_id, request.now)
    },
    async createGroup(request: FastifyRequest, { body, habits }: Asked, how: CreatedGroup = {}): Promise<Changed> {
      const accepted = acceptResource(body, groupDefinition, habits)
      return change(request, 'scim.create_group', () => ({ ...accepted, ...how }))
    },
    async replaceGroup(request: FastifyRequest, group_id: string, { body, habits, ifMatch }: Asked): Promise<Changed> {
      const accepted = acceptResource(body, groupDefinition, habits)
      return change(request, 'scim.replace_group', () => ({ ...accepted, group_id, ifMatch }))
    },
    async patchGroup(request: FastifyRequest, group_id: string, { body, habits, ifMatch }: Asked): Promise<Changed> {
      const operations = readOperations(body, habits)
      const profile = profileOf(request)
      return change(request, 'scim.patch_group', () => ({ group_id, operations, profile, ifMatch }))
    },
    async deleteGroup(request: FastifyRequest, group_id: string, ifMatch: string | undefined): Promise<void> {
      await change(request, 'scim.delete_group', () => ({ group_id, ifMatch }))
    },
  }
}
