import type { CommandHandlers } from '../../store/storage/registry.ts'
import * as nodes from './nodes.ts'

export const changes = {
  'nodes.report': nodes.report,
  'nodes.remove': nodes.removeNode,
} satisfies CommandHandlers
