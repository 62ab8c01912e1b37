//! The updates equal their definitions, computed with whole matrices.

use nalgebra::{DMatrix, DVector};
use nystream::algorithms::Algorithm;
use nystream::kernels::Linear;
use nystream::linalg::CholeskyFactor;
use nystream::losses::{Loss, Squared};
use nystream::updates::every_row::{KernelGradient, KernelNewton, KernelRidge};
use nystream::updates::{Gradient, LeastSquares, Newton, Rate, Update};
use nystream::{AogdAldParams, NonsAldParams};
use proptest::prelude::*;

/// A round: features of growing length, a label, and whether a coordinate is gained first.
fn rounds() -> impl Strategy<Value = Vec<(Vec<f64>, f64, bool)>> {
    let phi = prop::collection::vec(-1.0..1.0, 12);
    prop::collection::vec((phi, -2.0..2.0, prop::bool::weighted(0.3)), 1..60)
}

fn learn(learner: &mut dyn Algorithm, x: &[f64], y: f64) -> f64 {
    let mut yhat = [f64::NAN];
    learner.learn_row(x, &[y], 1.0, &mut yhat);
    yhat[0]
}

fn predict(learner: &dyn Algorithm, x: &[f64]) -> f64 {
    let mut yhat = [f64::NAN];
    learner.predict_into(x, &mut yhat);
    yhat[0]
}

fn padded(vector: &DVector<f64>) -> DVector<f64> {
    vector.clone().insert_row(vector.len(), 0.0)
}

proptest! {
    #[test]
    fn newton_step_equals_its_definition(
        (rounds, mu, eta, bound) in (rounds(), 0.1..5.0, 0.05..1.0, 0.3..2.0)
    ) {
        let mut newton = Newton::new(mu, eta, bound, 1.0).unwrap();
        let mut a = DMatrix::<f64>::zeros(0, 0);
        let mut w = DVector::<f64>::zeros(0);
        for (phi, y, grow) in rounds {
            // The definition: project w onto |w . phi| <= bound in the norm of A, in the old coordinates.
            let mut x = DVector::from_column_slice(&phi[..w.len()]);
            let inverse = a.clone().try_inverse().unwrap_or_default();
            let mut yhat = w.dot(&x);
            if yhat.abs() > bound {
                let g = &inverse * &x;
                let target = bound * yhat.signum();
                w -= (yhat - target) / x.dot(&g) * g;
                yhat = target;
            }
            prop_assert!((newton.predict(x.as_slice(), bound) - yhat).abs() < 1e-10);
            if grow && w.len() < 12 {
                let coordinate = 0.1 + phi[w.len()].abs();
                x = x.insert_row(w.len(), coordinate);
                w = padded(&w);
                let n = a.nrows();
                a = a.insert_row(n, 0.0).insert_column(n, 0.0);
                a[(n, n)] = mu;
                newton.gain(coordinate);
            }
            // A += eta e^2 phi phi^T, then w -= e A^{-1} phi.
            let e = Squared {}.derivative(yhat, y);
            a += eta * e * e * &x * x.transpose();
            if !w.is_empty() {
                w -= e * a.clone().try_inverse().unwrap() * x;
            }
            newton.step(e);
            for (i, w) in w.iter().enumerate() {
                prop_assert!((newton.w(0)[i] - w).abs() < 1e-10);
            }
        }
        let n = w.len();
        let root = newton.weights().root();
        let columns = root.columns();
        let root = DMatrix::from_fn(n, n, |i, j| if i <= j { columns.row(j)[i] } else { 0.0 });
        prop_assert!((&root * root.transpose() * a - DMatrix::identity(n, n)).amax() < 1e-9);
    }

    #[test]
    fn gradient_step_equals_its_definition((rounds, bound) in (rounds(), 0.3..2.0)) {
        let mut gradient = Gradient::new(Rate::adaptive(bound));
        let mut w = DVector::<f64>::zeros(0);
        let mut squares = 1.0;
        for (phi, y, grow) in rounds {
            if grow && w.len() < 12 {
                gradient.grow();
                w = padded(&w);
            }
            let x = DVector::from_column_slice(&phi[..w.len()]);
            let yhat = w.dot(&x);
            prop_assert!((gradient.predict(x.as_slice()) - yhat).abs() < 1e-12);
            let e = Squared {}.derivative(yhat, y);
            squares += (e * &x).norm_squared();
            w -= bound / squares.sqrt() * e * &x;
            w *= (bound / w.norm()).min(1.0);
            gradient.step(x.as_slice(), e);
            for (i, w) in w.iter().enumerate() {
                prop_assert!((gradient.w(0)[i] - w).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn kernel_gradient_with_the_linear_kernel_is_gradient_descent_on_the_rows(
        (rounds, bound) in (rounds(), 0.3..2.0)
    ) {
        let mut descent = KernelGradient::new(Linear {}.into(), Rate::adaptive(bound));
        let mut gradient = Gradient::new(Rate::adaptive(bound));
        (0..12).for_each(|_| gradient.grow());
        for (x, y, _) in rounds {
            let yhat = gradient.predict(&x);
            prop_assert!((descent.learn_row(&x, y) - yhat).abs() < 1e-11);
            gradient.step(&x, Squared {}.derivative(yhat, y));
            let norm = gradient.w(0).iter().map(|w| w * w).sum::<f64>().sqrt();
            prop_assert!((descent.norm() - norm).abs() < 1e-11);
        }
    }

    #[test]
    fn least_squares_equal_their_definition(
        (rounds, ridge, forward) in (rounds(), 0.05..5.0, prop::bool::ANY)
    ) {
        let mut squares = LeastSquares::new(ridge, forward).unwrap();
        let mut a = DMatrix::<f64>::zeros(0, 0);
        let mut b = DVector::<f64>::zeros(0);
        for (phi, y, grow) in rounds {
            if (grow || b.is_empty()) && b.len() < 12 {
                let n = b.len();
                a = a.resize(n + 1, n + 1, 0.0);
                a[(n, n)] = ridge;
                b = padded(&b);
                squares.grow();
            }
            let x = DVector::from_column_slice(&phi[..b.len()]);
            let term = &x * x.transpose();
            // Forward: as if the row had been learned already, with the label 0.
            let seen = if forward { &a + &term } else { a.clone() };
            let yhat = (seen.try_inverse().unwrap() * &b).dot(&x);
            prop_assert!((squares.predict(x.as_slice()) - yhat).abs() < 1e-10);
            prop_assert!((squares.learn_row(x.as_slice(), y).0 - yhat).abs() < 1e-10);
            a += term;
            b += y * x;
        }
    }

    #[test]
    fn least_squares_that_forget_equal_their_definition(
        (rounds, ridge, forgetting) in (rounds(), 0.05..5.0, 0.5..1.0)
    ) {
        let mut squares = LeastSquares::new(ridge, false).unwrap()
            .forgetting(forgetting).unwrap()
            .targets(2).unwrap();
        (0..12).for_each(|_| squares.grow());
        let period = (0.5_f64.ln() / f64::ln(forgetting)).ceil();
        let mut past: Vec<(DVector<f64>, f64)> = Vec::new();
        for (phi, y, _) in rounds {
            // The definition: the weight of a row is a power of its age; that of the ridge falls for a period.
            let age = (past.len() as f64) % period;
            let mut a = DMatrix::identity(12, 12) * ridge * forgetting.powf(age);
            let mut b = DVector::zeros(12);
            for (i, (x, y)) in past.iter().enumerate() {
                let weight = forgetting.powf((past.len() - 1 - i) as f64);
                a += weight * x * x.transpose();
                b += weight * *y * x;
            }
            let (p, x) = (a.try_inverse().unwrap(), DVector::from_vec(phi));
            let (yhat, q) = ((&p * b).dot(&x), (&p * &x).dot(&x));
            prop_assert!((squares.uncertainty(x.as_slice()).unwrap() - q).abs() < 1e-9 * (1.0 + q));
            let mut found = [0.0; 2];
            let known = squares.learn_targets(x.as_slice(), &[y, -3.0 * y], 1.0, &mut found);
            prop_assert!((known - q).abs() < 1e-9 * (1.0 + q));
            prop_assert!((found[0] - yhat).abs() < 1e-9);
            prop_assert!((found[1] + 3.0 * yhat).abs() < 3e-9);
            past.push((x, y));
        }
    }

    #[test]
    fn a_row_removed_is_one_that_was_projected_away(
        (rounds, ridge, j) in (rounds(), 0.05..5.0, 0_usize..6),
        entries in prop::collection::vec(-1.0..1.0, 36),
    ) {
        // A dictionary of six rows with the kernel matrix K, and labels learned on its features.
        let root: DMatrix<f64> = DMatrix::from_vec(6, 6, entries);
        let k: DMatrix<f64> = &root * root.transpose() + DMatrix::identity(6, 6) * 0.1;
        let l = k.cholesky().unwrap().l();
        let mut factor = CholeskyFactor::default();
        for i in 0..6 {
            let phi: Vec<f64> = l.row(i).iter().take(i).copied().collect();
            factor.push(&phi, l[(i, i)] * l[(i, i)]).unwrap();
        }
        let mut squares = LeastSquares::new(ridge, false).unwrap();
        (0..6).for_each(|_| squares.grow());
        let (mut a, mut b) = (DMatrix::identity(6, 6) * ridge, DVector::zeros(6));
        for (phi, y, _) in &rounds {
            let x = DVector::from_column_slice(&phi[..6]);
            squares.learn_row(x.as_slice(), *y);
            a += &x * x.transpose();
            b += *y * x;
        }
        let costs = squares.removal_costs(&factor);
        let rotations = factor.remove(j);
        squares.remove(&rotations, j);
        // The definition: the features of the others span what is left, and A and b are projected onto it.
        let kept = l.clone().remove_row(j);
        let q = kept.transpose().qr().q().transpose();
        let projected = (&q * &a * q.transpose()).try_inverse().unwrap() * &q * &b;
        let (before, after) = (a.clone().try_inverse().unwrap() * &b, q.transpose() * &projected);
        let change = &after - &before;
        let cost = (&a * &change).dot(&change);
        prop_assert!((costs[j] - cost).abs() < 1e-8 * (1.0 + cost), "{} {}", costs[j], cost);
        // The same function of the rows left, in whatever coordinates.
        for i in 0..5 {
            let phi: Vec<f64> = (0..5).map(|m| if m <= i { factor.lower().row(i)[m] } else { 0.0 }).collect();
            let expected = kept.row(i).transpose().dot(&after);
            prop_assert!((squares.predict(&phi) - expected).abs() < 1e-8);
            // L' L'^T is the kernel matrix without row j, and L'^{-1} its inverse.
            let kernel = kept.row(i).dot(&kept.row(i));
            prop_assert!((phi.iter().map(|x| x * x).sum::<f64>() - kernel).abs() < 1e-12);
            let mut unit = [0.0; 5];
            factor.solve_into(&(0..5).map(|m| kept.row(m).dot(&kept.row(i))).collect::<Vec<_>>(), &mut unit);
            for (found, expected) in unit.iter().zip(&phi) {
                prop_assert!((found - expected).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn kernel_ridge_with_the_linear_kernel_is_least_squares_on_the_rows(
        (rounds, ridge) in (rounds(), 0.05..5.0)
    ) {
        let mut kernel_ridge = KernelRidge::new(Linear {}.into(), ridge).unwrap();
        let [mut plain, mut forward] =
            [false, true].map(|forward| LeastSquares::new(ridge, forward).unwrap());
        (0..12).for_each(|_| { plain.grow(); forward.grow(); });
        for (x, y, _) in rounds {
            prop_assert!((kernel_ridge.predict(&x) - plain.predict(&x)).abs() < 1e-9);
            let regression = kernel_ridge.learn_row(&x, y, 1.0);
            prop_assert!((regression.yhat - plain.learn_row(&x, y).0).abs() < 1e-10);
            prop_assert!((regression.forward() - forward.learn_row(&x, y).0).abs() < 1e-10);
        }
    }

    #[test]
    fn kernel_newton_with_the_linear_kernel_is_a_newton_step_on_the_rows(
        (rounds, mu, eta, bound) in (rounds(), 0.1..5.0, 0.05..1.0, 0.3..2.0)
    ) {
        let mut kernel_newton =
            KernelNewton::new(Linear {}.into(), mu, Some(eta), Some(bound)).unwrap();
        let mut newton = Newton::new(mu, eta, bound, 1.0).unwrap();
        newton.restart(12);
        for (x, y, _) in rounds {
            let yhat = newton.predict(&x, bound);
            prop_assert!((kernel_newton.predict(&x) - yhat).abs() < 1e-9);
            let look = kernel_newton.look(&x);
            prop_assert!((look.yhat - yhat).abs() < 1e-9);
            let e = Squared {}.derivative(yhat, y);
            kernel_newton.step(&x, &look, e, true);
            newton.step(e);
        }
    }

    #[test]
    fn predictions_stay_within_the_bound(
        rows in prop::collection::vec((prop::collection::vec(-2.0..2.0, 2), -5.0..5.0), 1..80)
    ) {
        let mut learner = NonsAldParams { bound: 0.7, mu: 0.1, ..NonsAldParams::default() }.build().unwrap();
        for (x, y) in rows {
            prop_assert!(predict(&learner, &x).abs() <= 0.7);
            prop_assert!(learn(&mut learner, &x, y).abs() <= 0.7);
        }
    }

    #[test]
    fn a_prediction_is_the_one_that_learning_starts_from(
        rows in prop::collection::vec((prop::collection::vec(-2.0..2.0, 2), -2.0..2.0), 1..80)
    ) {
        let mut newton = NonsAldParams::default().build().unwrap();
        let mut gradient = AogdAldParams::default().build().unwrap();
        for (x, y) in rows {
            let predicted = predict(&newton, &x);
            prop_assert!((predicted - learn(&mut newton, &x, y)).abs() < 1e-12);
            let predicted = predict(&gradient, &x);
            prop_assert!((predicted - learn(&mut gradient, &x, y)).abs() < 1e-12);
        }
    }
}
