/** What the dialog for a new user sends. */
import type { CreateUser } from 'rollbook/client'
import { endOfDay } from '../../parts/end-date/end-date.ts'

export const empty = {
  username: '',
  first_name: '',
  last_name: '',
  email: '',
  role: 'user',
  password: '',
  external_id: '',
  /** The ID; empty: none. */
  organization_id: '',
  /** The last day of the access, such as 2026-12-31. */
  expires_at: '',
}
export const fields = Object.keys(empty)

type Choices = { attributes: NonNullable<CreateUser['attributes']>; invite: boolean; isService: boolean }

/** Empty fields are not sent. A person who has only an email signs in with it. */
export function bodyOf(
  { username, password, expires_at, ...others }: typeof empty,
  { attributes, invite, isService }: Choices,
): CreateUser {
  return {
    username: username.trim() || (isService ? '' : others.email.trim()),
    ...(isService && { kind: 'service' }),
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== '')),
    ...(!isService && !invite && password !== '' && { password }),
    ...(!isService && invite && { invite: 'true' }),
    ...(expires_at !== '' && { expires_at: endOfDay(expires_at) }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
  }
}

export function withoutPassword(body: CreateUser): CreateUser {
  return body.password === undefined ? body : { ...body, password: '…' }
}
