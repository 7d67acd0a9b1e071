import type { CommandHandlers } from '../../../store/storage/registry.ts'
import * as signInConnections from './connections.ts'
import * as identities from './identities.ts'
import { removeOwnFactor } from './last-way.ts'

export const changes = {
  'sign_in_connections.create': signInConnections.create,
  'sign_in_connections.update': signInConnections.update,
  'sign_in_connections.delete': signInConnections.remove,
  'sign_in_connections.prune': signInConnections.pruneFailures,
  'identities.link_for_user': identities.linkForUser,
  'identities.remove_of_user': identities.removeOfUser,
  'identities.remove_own': identities.removeOwn,
  'factors.remove_own': removeOwnFactor,
} satisfies CommandHandlers
