/** Writes a filter as text. `parseFilter` reads it back as the same filter. */
import { writeAttributePath } from '../schemas/attribute-path.ts'
import type { Filter, Test } from './ast.ts'

export function printFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'compare':
    case 'present':
      return printTest(filter)
    case 'not':
      return `not (${printFilter(filter.filter)})`
    case 'element': {
      const matched = `${writeAttributePath(filter.path)}[${printFilter(filter.filter)}]`
      return filter.test === undefined ? matched : `${matched}.${printTest(filter.test)}`
    }
    case 'and':
      return filter.filters.map((part) => (isChain(part) ? `(${printFilter(part)})` : printFilter(part))).join(' and ')
    case 'or':
      return filter.filters
        .map((part) => (part.kind === 'or' ? `(${printFilter(part)})` : printFilter(part)))
        .join(' or ')
  }
}

function printTest(test: Test): string {
  const path = writeAttributePath(test.path)
  return test.kind === 'present' ? `${path} pr` : `${path} ${test.operator} ${JSON.stringify(test.value)}`
}

function isChain({ kind }: Filter): boolean {
  return kind === 'and' || kind === 'or'
}
