/** Every setting: its name, what it accepts, its default, and a reason to change it. */

import { access } from './access.ts'
import { accessTokens } from './access-tokens.ts'
import { behaviour } from './behaviour.ts'
import { email } from './email.ts'
import type { Kind, Setting } from './kinds.ts'
import { limits } from './limits.ts'
import { network } from './network.ts'
import { operation } from './operation.ts'
import { passwordHashing } from './password-hashing.ts'
import { signIn } from './sign-in.ts'
import { storage } from './storage.ts'
import { webhooks } from './webhooks.ts'

/** In the order in which they are documented, and read: a setting may depend on an earlier one. */
export const subjects = {
  Network: network,
  Access: access,
  'Sign-in': signIn,
  'Access tokens': accessTokens,
  Storage: storage,
  Behaviour: behaviour,
  Limits: limits,
  'Password hashing': passwordHashing,
  Webhooks: webhooks,
  Email: email,
  Operation: operation,
}

export const settings = {
  ...network,
  ...access,
  ...signIn,
  ...accessTokens,
  ...storage,
  ...behaviour,
  ...limits,
  ...passwordHashing,
  ...webhooks,
  ...email,
  ...operation,
}

type ValueOf<S extends Setting> =
  S['kind'] extends Kind<infer T> ? (S['default'] extends string ? T : T | undefined) : never

export type Config = { readonly [Member in keyof typeof settings]: ValueOf<(typeof settings)[Member]> }
