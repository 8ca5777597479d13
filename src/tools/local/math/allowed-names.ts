/**
 * The names that an expression may use. A function that is not listed does not exist for the calculator,
 * whatever mathjs has; its group says how its work is estimated.
 */

/** How the work of a function grows with its arguments. */
export type Growth =
  /** With the number of elements. */
  | 'elements'
  /** Like `elements`, but far slower for decimals of arbitrary precision. */
  | 'series'
  /** With the square of the number of elements, at worst. */
  | 'square'
  /** With the cube of the side of a matrix. */
  | 'cube'
  /** Like `cube`, and repeated until it converges. */
  | 'iterated'
  /** With the value of the arguments. */
  | 'value'
  /** Makes a matrix whose size the arguments give. */
  | 'shape'
  | 'product'
  | 'power'
  | 'range';

const NAMES: Readonly<Record<Growth, string>> = {
  elements: `abs add unaryMinus unaryPlus subtract divide dotMultiply dotDivide mod sign square cube
    ceil floor fix round gcd lcm xgcd invmod hypot and or not xor nullish
    bitAnd bitOr bitXor bitNot leftShift rightArithShift rightLogShift
    equal unequal larger largerEq smaller smallerEq compare deepEqual
    re im arg conj complex number bignumber fraction boolean matrix unit to
    max min sum prod mean mode std variance cumsum count sort corr
    cross dot trace transpose ctranspose size flatten concat row column diff
    isInteger isPositive isNegative isZero isNaN isPrime polynomialRoot distance bin oct hex`,
  series: `sqrt cbrt nthRoot exp expm1 log log10 log2 log1p norm erf
    sin cos tan sec csc cot asin acos atan atan2 asec acsc acot
    sinh cosh tanh sech csch coth asinh acosh atanh asech acsch acoth`,
  square: 'median mad quantileSeq',
  cube: 'det inv pinv lusolve lup qr',
  iterated: 'eigs expm sqrtm',
  value: `factorial gamma lgamma combinations combinationsWithRep permutations multinomial catalan
    bellNumbers stirlingS2 composition`,
  shape: 'zeros ones identity resize reshape diag',
  product: 'multiply kron',
  power: 'pow dotPow',
  range: 'range',
};

const words = (text: string): readonly string[] => text.split(/\s+/);

export const FUNCTIONS: ReadonlyMap<string, Growth> = new Map(
  (Object.keys(NAMES) as Growth[]).flatMap((growth) =>
    words(NAMES[growth]).map((name) => [name, growth] as const),
  ),
);

export const CONSTANTS: ReadonlySet<string> = new Set(
  words(`pi PI tau e E phi i LN2 LN10 LOG2E LOG10E SQRT1_2 SQRT2 Infinity NaN true false
    speedOfLight gravitationConstant planckConstant reducedPlanckConstant
    magneticConstant electricConstant vacuumImpedance elementaryCharge bohrMagneton
    conductanceQuantum inverseConductanceQuantum magneticFluxQuantum nuclearMagneton klitzing
    bohrRadius classicalElectronRadius electronMass fermiCoupling fineStructure hartreeEnergy
    protonMass deuteronMass neutronMass quantumOfCirculation rydberg thomsonCrossSection
    weakMixingAngle efimovFactor atomicMass avogadro boltzmann faraday firstRadiation loschmidt
    gasConstant molarPlanckConstant molarVolume sackurTetrode secondRadiation stefanBoltzmann
    wienDisplacement molarMass molarMassC12 gravity planckLength planckMass planckTime
    planckCharge planckTemperature`),
);

/** The only functions that take text, and the texts they accept. */
export const TEXT_ARGUMENTS: ReadonlyMap<string, RegExp> = new Map([
  ['bignumber', /^[+-]?\d{1,400}(\.\d{1,400})?(e[+-]?\d{1,4})?$/i],
  ['fraction', /^[+-]?\d{1,300}(\/\d{1,300}|\.\d{0,200}(\(\d{1,100}\))?)?$/],
  ['unit', /^[A-Za-z0-9 .*/^()°+-]{1,64}$/],
  ['to', /^[A-Za-z0-9 */^()°-]{1,64}$/],
  ['norm', /^(fro|inf|-inf)$/],
]);
