import { each, type Family, gauge } from './metric-family.ts'
import type { Outages } from './outages.ts'

export function outageFamilies(outages: Pick<Outages, 'counts'>): Family[] {
  return [
    gauge(
      'rollbook_outages',
      'Outside systems that fail, as this node found within the last hour.',
      () => each('system', outages.counts()),
      ['system'],
    ),
  ]
}
