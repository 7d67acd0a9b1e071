// Takes long for its size. It belongs to test:rest: all pairs of filters in all orders, of which npm test tries a fifth.
import './plans.test.ts'
