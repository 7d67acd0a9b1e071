/** `leaving`: not ready any more, but requests are still served; `draining`: no new request is accepted. */
export type Lifecycle = { stage: 'serving' | 'leaving' | 'draining' }
