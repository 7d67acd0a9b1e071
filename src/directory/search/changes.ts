import type { CommandHandlers } from '../../store/storage/registry.ts'
import { cleanIndex } from './search-index.ts'

export const changes = {
  'users.clean_search_index': cleanIndex,
} satisfies CommandHandlers
