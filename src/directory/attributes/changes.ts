import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as attributes from './attributes.ts'

export const changes = {
  'attributes.create': attributes.create,
  'attributes.update': attributes.update,
  'attributes.delete': attributes.remove,
} satisfies CommandHandlers
