// Pinocchio at its best: its own C++ algorithms, compiled for this machine, timed in a loop over states.
//
// Driven by pinocchio_cpp.py through lines on standard input; every command is answered by one line.
//   load MODEL STATES COUNT           read a model (text) and COUNT states (binary doubles: all q, all v, all a)
//   constrain FILE                    tie bodies of the model together at points
//   run ALGORITHM BATCH SECONDS       nanoseconds per state of every repetition over the first BATCH states
//   write ALGORITHM BATCH FILE        the results for the first BATCH states, as binary doubles
// Results stay in Pinocchio's workspace while the time runs; storing them for every state would cost it more.

#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/algorithm/pv.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

namespace {

using namespace pinocchio;
using State = Eigen::Map<const Eigen::VectorXd>;

const std::map<std::string, JointModel> joints = {
  {"JointModelRX", JointModelRX()}, {"JointModelRY", JointModelRY()}, {"JointModelRZ", JointModelRZ()},
  {"JointModelPX", JointModelPX()}, {"JointModelPY", JointModelPY()}, {"JointModelPZ", JointModelPZ()},
  {"JointModelUniversal", JointModelUniversal(Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY())},
  {"JointModelFreeFlyer", JointModelFreeFlyer()}};

// First the joint whose Jacobian is wanted. Then a line a joint: parent, type, rotation (by rows) and translation of
// its place, and of its body the mass, the centre and the inertia about it (by rows).
Model read_model(const std::string & path, JointIndex & tip)
{
  std::ifstream file(path);
  Model model;
  std::string type;
  JointIndex parent;
  file >> tip;
  while (file >> parent >> type) {
    Eigen::Matrix3d rotation, inertia;
    Eigen::Vector3d translation, centre;
    double mass;
    const auto read = [&file](auto & array) {
      for (Eigen::Index r = 0; r < array.rows(); ++r)
        for (Eigen::Index c = 0; c < array.cols(); ++c)
          file >> array(r, c);
    };
    read(rotation), read(translation);
    file >> mass;
    read(centre), read(inertia);
    const auto name = "joint" + std::to_string(model.njoints);
    const auto id = model.addJoint(parent, joints.at(type), SE3(rotation, translation), name);
    model.appendBodyToJoint(id, Inertia(mass, centre, inertia), SE3::Identity());
  }
  return model;
}

// Points of bodies that stay together, as each of the solvers wants them. All are proximal: mu is the weight that ties a
// step to the one before; results are compared with sixd's, and these are the fewest steps that keep eight digits.
struct Constraints
{
  std::vector<RigidConstraintModel> points;
  std::vector<RigidConstraintData> of_cholesky, of_loops;
  std::vector<PointAnchorConstraintModel> anchors;
  std::vector<PointAnchorConstraintData> of_anchors;
  Data cholesky, loops, vereshchagin;
  ProximalSettings one_step{1e-12, 1e-12, 1}, steps{1e-8, 1e-6, 10};

  // A line a constraint: a joint and a point in its coordinates, the same of a second joint.
  Constraints(const Model & model, const std::string & path) : cholesky(model), loops(model), vereshchagin(model)
  {
    std::ifstream file(path);
    const auto read = [&file](JointIndex & joint, SE3 & place) {
      place.setIdentity();
      return bool(file >> joint >> place.translation()[0] >> place.translation()[1] >> place.translation()[2]);
    };
    JointIndex a, b;
    SE3 at_a, at_b;
    while (read(a, at_a) && read(b, at_b)) {
      points.emplace_back(CONTACT_3D, model, a, at_a, b, at_b, LOCAL_WORLD_ALIGNED);
      anchors.emplace_back(model, a, at_a, b, at_b);
    }
    for (const auto & point : points)
      of_cholesky.emplace_back(point), of_loops.emplace_back(point);
    for (const auto & anchor : anchors)
      of_anchors.emplace_back(anchor);
    initConstraintDynamics(model, cholesky, points, of_cholesky);
    computeJointMinimalOrdering(model, loops, points);
    initPvSolver(model, vereshchagin, anchors);
  }
};

struct Robot
{
  JointIndex tip = 0;
  Model model;
  Data data;
  std::size_t count;
  std::vector<double> states;
  Data::Matrix6x jacobian;
  std::unique_ptr<Constraints> constraints;

  Robot(const std::string & model_path, const std::string & state_path, std::size_t n)
  : model(read_model(model_path, tip)), data(model), count(n), states(n * std::size_t(model.nq + 2 * model.nv)),
    jacobian(Data::Matrix6x::Zero(6, model.nv))
  {
    std::ifstream file(state_path, std::ios::binary);
    if (!file.read(reinterpret_cast<char *>(states.data()), std::streamsize(states.size() * sizeof(double))))
      throw std::runtime_error("not enough states in " + state_path);
  }

  State q(std::size_t k) const { return State(states.data() + k * std::size_t(model.nq), model.nq); }
  State v(std::size_t k) const { return tangent(k); }
  State a(std::size_t k) const { return tangent(count + k); }

private:
  State tangent(std::size_t k) const
  {
    return State(states.data() + count * std::size_t(model.nq) + k * std::size_t(model.nv), model.nv);
  }
};

template<typename Array>
void write_rows(const Array & array, std::ostream & out)
{
  for (Eigen::Index r = 0; r < array.rows(); ++r)
    for (Eigen::Index c = 0; c < array.cols(); ++c) {
      const double x = array(r, c);
      out.write(reinterpret_cast<const char *>(&x), sizeof x);
    }
}

// Pinocchio fills the upper triangle only.
template<typename Array>
void write_symmetric(const Array & array, std::ostream & out)
{
  write_rows(Eigen::MatrixXd(array.template selfadjointView<Eigen::Upper>()), out);
}

struct Algorithm
{
  std::function<void(Robot &, std::size_t first, std::size_t last)> run;
  std::function<void(const Robot &, std::ostream &)> write;  // what the last state gave
};

// The loop is inside, so that calls through std::function are not what is measured.
template<typename Run, typename Write>
Algorithm algorithm(Run run, Write write)
{
  const auto loop = [run](Robot & r, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k)
      run(r, k);
  };
  return {loop, write};
}

// One of the solvers of constrained dynamics, which returns the accelerations.
template<typename Run>
Algorithm constrained(Run run)
{
  const auto found = std::make_shared<const Eigen::VectorXd *>(nullptr);
  return algorithm(
    [run, found](Robot & r, std::size_t k) { *found = &run(r, k, *r.constraints); },
    [found](const Robot &, std::ostream & out) { write_rows(**found, out); });
}

std::map<std::string, Algorithm> algorithms()
{
  using R = Robot;
  using Out = std::ostream;
  const auto aba_in = [](Convention c) {
    return algorithm(
      [c](R & r, std::size_t k) { aba(r.model, r.data, r.q(k), r.v(k), r.a(k), c); },
      [](const R & r, Out & out) { write_rows(r.data.ddq, out); });
  };
  const auto crba_in = [](Convention c) {
    return algorithm(
      [c](R & r, std::size_t k) { crba(r.model, r.data, r.q(k), c); },
      [](const R & r, Out & out) { write_symmetric(r.data.M, out); });
  };
  const auto poses = [](const R & r, Out & out) {
    for (std::size_t i = 1; i < r.data.oMi.size(); ++i)
      write_rows(r.data.oMi[i].toHomogeneousMatrix().topRows<3>(), out);
  };
  return {
    {"aba local", aba_in(Convention::LOCAL)},
    {"aba world", aba_in(Convention::WORLD)},
    {"crba local", crba_in(Convention::LOCAL)},
    {"crba world", crba_in(Convention::WORLD)},
    {"rnea", algorithm(
       [](R & r, std::size_t k) { rnea(r.model, r.data, r.q(k), r.v(k), r.a(k)); },
       [](const R & r, Out & out) { write_rows(r.data.tau, out); })},
    {"forwardKinematics",
     algorithm([](R & r, std::size_t k) { forwardKinematics(r.model, r.data, r.q(k)); }, poses)},
    {"computeJointJacobian", algorithm(
       [](R & r, std::size_t k) { computeJointJacobian(r.model, r.data, r.q(k), r.tip, r.jacobian); },
       [](const R & r, Out & out) { write_rows(r.jacobian, out); })},
    {"computeMinverse", algorithm(
       [](R & r, std::size_t k) { computeMinverse(r.model, r.data, r.q(k)); },
       [](const R & r, Out & out) { write_symmetric(r.data.Minv, out); })},
    {"computeRNEADerivatives", algorithm(
       [](R & r, std::size_t k) { computeRNEADerivatives(r.model, r.data, r.q(k), r.v(k), r.a(k)); },
       [](const R & r, Out & out) {
         write_rows(r.data.dtau_dq, out), write_rows(r.data.dtau_dv, out), write_symmetric(r.data.M, out);
       })},
    {"computeABADerivatives", algorithm(
       [](R & r, std::size_t k) { computeABADerivatives(r.model, r.data, r.q(k), r.v(k), r.a(k)); },
       [](const R & r, Out & out) {
         write_rows(r.data.ddq_dq, out), write_rows(r.data.ddq_dv, out), write_symmetric(r.data.Minv, out);
       })},
    {"constraintDynamics", constrained([](R & r, std::size_t k, Constraints & c) -> const auto & {
       return constraintDynamics(
         r.model, c.cholesky, r.q(k), r.v(k), r.a(k), c.points, c.of_cholesky, c.one_step);
     })},
    {"lcaba", constrained([](R & r, std::size_t k, Constraints & c) -> const auto & {
       return lcaba(r.model, c.loops, r.q(k), r.v(k), r.a(k), c.points, c.of_loops, c.steps);
     })},
    {"pv", constrained([](R & r, std::size_t k, Constraints & c) -> const auto & {
       return pv(r.model, c.vereshchagin, r.q(k), r.v(k), r.a(k), c.anchors, c.of_anchors, c.one_step);
     })},
    {"constrainedABA", constrained([](R & r, std::size_t k, Constraints & c) -> const auto & {
       return constrainedABA(r.model, c.vereshchagin, r.q(k), r.v(k), r.a(k), c.anchors, c.of_anchors, c.steps);
     })},
    {"computeCentroidalMap", algorithm(
       [](R & r, std::size_t k) { computeCentroidalMap(r.model, r.data, r.q(k)); },
       [](const R & r, Out & out) { write_rows(r.data.Ag, out); })},
  };
}

// Nanoseconds of processor time per state; a repetition is long enough for the clock not to matter.
void time_it(const Algorithm & algorithm, Robot & robot, std::size_t batch, double seconds, std::ostream & out)
{
  std::size_t loops = 1;
  double spent = 0.0;
  while (spent < seconds) {
    const std::clock_t start = std::clock();
    for (std::size_t k = 0; k < loops; ++k)
      algorithm.run(robot, 0, batch);
    const double took = double(std::clock() - start) / CLOCKS_PER_SEC;
    if (took < 1e-3) {
      loops *= 2;
      continue;
    }
    spent += took;
    out << 1e9 * took / double(batch * loops) << ' ';
  }
  out << std::endl;
}

}  // namespace

int main()
{
  std::unique_ptr<Robot> robot;
  const auto known = algorithms();
  std::string line;
  while (std::getline(std::cin, line)) {
    // Words are separated by tabs: names have spaces.
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; std::getline(text, word, '\t');)
      words.push_back(word);
    if (words.at(0) == "load") {
      robot.reset();
      robot = std::make_unique<Robot>(words.at(1), words.at(2), std::stoul(words.at(3)));
      std::cout << "loaded" << std::endl;
    } else if (words[0] == "constrain") {
      robot->constraints = std::make_unique<Constraints>(robot->model, words.at(1));
      std::cout << "constrained" << std::endl;
    } else if (words[0] == "run") {
      time_it(known.at(words.at(1)), *robot, std::stoul(words.at(2)), std::stod(words.at(3)), std::cout);
    } else if (words[0] == "write") {
      const auto & algorithm = known.at(words.at(1));
      std::ofstream out(words.at(3), std::ios::binary);
      for (std::size_t k = 0; k < std::stoul(words.at(2)); ++k) {
        algorithm.run(*robot, k, k + 1);
        algorithm.write(*robot, out);
      }
      out.close();
      std::cout << "written" << std::endl;
    }
  }
}
