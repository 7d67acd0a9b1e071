import { AppError } from '../../core/errors.ts'

/** `leaving`: not ready, but requests are still served; `draining`: new requests are refused. */
export type Lifecycle = { stage: 'serving' | 'leaving' | 'draining' }

/** @throws AppError `draining` */
export function refuseWhileDraining({ stage }: Lifecycle): void {
  if (stage !== 'draining') return
  throw new AppError('draining', 'The service is stopping. Repeat the request; another instance responds.')
}
