import type { ChangeTraits, CommandHandlers } from '../../store/storage/registry.ts'
import { update } from './policies.ts'

export const changes = { 'policies.update': update } satisfies CommandHandlers

export const traits = { 'policies.update': { ofRules: true } } satisfies ChangeTraits<typeof changes>
