import type { Config } from '../../../core/config.ts'
import { AppError } from '../../../core/errors.ts'

/** A deployment that does not use requests for access never meets them. @throws AppError `not_enabled` */
export function refuseUnlessEnabled({ accessRequests }: Pick<Config, 'accessRequests'>): void {
  if (accessRequests === 'on') return
  const detail = 'Requests for access are switched off here. ROLLBOOK_ACCESS_REQUESTS=on switches them on.'
  throw new AppError('not_enabled', detail)
}
