import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as attributes from './attributes.ts'
import { refreshStep } from './search-texts.ts'

export const changes = {
  'attributes.create': attributes.create,
  'attributes.update': attributes.update,
  'attributes.delete': attributes.remove,
  'attributes.refresh_search_texts': refreshStep,
} satisfies CommandHandlers
