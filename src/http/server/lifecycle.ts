import { AppError } from '../../core/errors.ts'

/** `leaving`: not ready any more, but requests are still served; `draining`: no new request is accepted. */
export type Lifecycle = { stage: 'serving' | 'leaving' | 'draining' }

/** @throws AppError `draining` */
export function refuseWhileDraining({ stage }: Lifecycle): void {
  if (stage !== 'draining') return
  throw new AppError('draining', 'The service is stopping. Repeat the request; another instance responds.')
}
